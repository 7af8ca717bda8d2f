"""Every colour that means something, once: CSS variables for figures, `COLOURS` for plots.

A query is teal and a key magenta, wherever they meet. What is raw, or the old way, is grey; amber
says "look here". Orange means one thing, a number below zero, and is no role's. Each role has one
colour for light pages and one for dark, chosen so that text in it is legible (WCAG AA) and that no
two roles of one picture are told apart by hue alone.
"""

COLOURS = {
    "query": "#0b7285",
    "key": "#a61e7a",
    "value": "#4d6b00",
    "weight": "#0b5cad",
    "raw": "#5d6875",
    "scaled": "#0b5cad",
    "look": "#9a6200",
}
DARK = {
    "query": "#5fd0e0",
    "key": "#f58fd0",
    "value": "#b5d45c",
    "weight": "#7cb8ff",
    "raw": "#a9b4c0",
    "scaled": "#7cb8ff",
    "look": "#ffc34d",
}

# Heads side by side, which also have their numbers beside them
HEADS = ["#0b5cad", "#b3264a", "#2f6f3e", "#7a3fa8"]
DARK_HEADS = ["#7cb8ff", "#ff9fb2", "#8ed99b", "#d3a6ff"]

# Weights from 0 to 1: even steps of lightness in one blue, from the page's own tone to the
# strongest contrast with it. In the dark, where a lighter zero would be a hole in the page, it is
# the page's ground itself.
WEIGHTS = """
    #f0f5f7 #d1ebf5 #b2dff4 #93d3f2 #75c6f0 #58b9ec #3baae7 #1a9be0 #008cd7
    #007dcc #006ebe #005fae #00519d #004489 #0b3874 #0f2c5e #102247
""".split()
DARK_WEIGHTS = """
    #14181d #1d2638 #223552 #24426a #224f82 #1c5c99 #106baf #0079c2 #0089d4
    #0099e4 #00a9f1 #21b9fc #40c8ff #5fd8ff #7de6ff #9df4ff #beffff
""".split()

# Signed numbers, laid over the page: the further from zero, the less of it shows through.
ABOVE = (35, 110, 230)
BELOW = (226, 110, 20)

# What paints heat maps: see `painter` in colour.js.
MAPS = {"light": WEIGHTS, "dark": DARK_WEIGHTS, "above": ABOVE, "below": BELOW}


def css() -> str:
    """The palette as CSS variables: `--query`, `--head0`, and `--above`, `--below` as "r g b"."""
    signs = {"above": " ".join(map(str, ABOVE)), "below": " ".join(map(str, BELOW))}
    heads, dark_heads = (
        {f"head{h}": colour for h, colour in enumerate(colours)} for colours in (HEADS, DARK_HEADS)
    )
    rules = ((".figure", COLOURS | heads | signs), (".figure.dark", DARK | dark_heads))
    return "".join(
        f"{name} {{ {' '.join(f'--{k}: {v};' for k, v in rule.items())} }}\n"
        for name, rule in rules
    )
