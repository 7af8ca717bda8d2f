"""Pages that are whole, light and offline.

The theme brings far more than a page of this book uses. Here the site gets what it needs and no
more:

- `templates/` leaves out `fontawesome.js` (half of a bare page's weight) and the search index on
  pages that do not search. The theme also loads its icons as fonts; the few that it shows are cut
  out of them into `icons.css`, and the others leave the site. Of its rules stay those whose classes
  some page or script names;
- the page is not kept waiting: scripts run when it stands, pictures come when they are near, and
  its colours are known from the first line on;
- a page that was searched for has no marks in its menu and its figures: `search.js` leads to the
  sentence instead;
- links of pictures to the book itself are made relative to the page, and each picture keeps its
  place while it loads;
- what holds for paper alone is in `paper.css`, which a screen never waits for;
- source maps, fallback fonts and translations are taken out of the finished site.
"""

import base64
import io
import logging
import re
import shutil
from pathlib import Path

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

logging.getLogger("fontTools").setLevel(logging.WARNING)  # a style of Pygments logs all it can
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
ICONS = (
    "angle-down angle-left angle-right angle-up arrow-up bars bell check chevron-down "
    "chevron-right chevron-up circle-check circle-exclamation circle-half-stroke circle-info "
    "circle-xmark code download expand file file-pdf lightbulb list magnifying-glass "
    "magnifying-glass-minus moon pencil rocket share sun triangle-exclamation xmark"
).split()
EARLY = ("documentation_options.js", "projector.js")
UNUSED = [
    "_static/**/*.map",
    "_static/vendor",
    "_static/scripts/fontawesome.js*",
    "_static/sphinx_highlight.js",
    "_static/locales",
]
UNUSED += [
    "_static/*webpack-macros.html",
    "_static/images/logo_deepnote.svg",
    "_static/images/logo_jupyterlite.svg",
]
ICON_FONT = re.compile(r"@font-face\{[^{}]*/fontawesome/[^{}]*\}")
RULE = re.compile(r"([^{};]+)(\{[^{}]*\})")


def icon_style():
    """A style sheet with the theme's icons that the book shows, as a font of a few kB."""
    css = (THEME / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    codes = [
        re.search(rf'\.fa-{name}:before[^{{]*{{content:"\\([0-9a-f]+)"', css)[1] for name in ICONS
    ]
    font = TTFont(THEME / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf")
    subsetter = Subsetter(Options(layout_features=[], hinting=False))
    subsetter.populate(unicodes=[int(code, 16) for code in codes])
    subsetter.subset(font)
    font.flavor = "woff"
    file = io.BytesIO()
    font.save(file)
    data = base64.b64encode(file.getvalue()).decode()
    # Nothing is read aloud for them, in browsers that know how to say so
    icons = {f".fa-{name}": code for name, code in zip(ICONS, codes, strict=True)}
    # The theme draws this one by a name of its own
    icons["a.reference.download"] = icons[".fa-download"]
    rules = "".join(
        f'{one}:before {{ content: "\\{code}"; content: "\\{code}" / "" }}\n'
        for one, code in icons.items()
    )
    return (
        "/* Icons of Font Awesome Free (fontawesome.com), SIL OFL 1.1. */\n"
        '@font-face { font-family: "Font Awesome 6 Free"; font-weight: 900; font-display: block;\n'
        f"  src: url(data:font/woff;base64,{data}) format('woff');\n"
        f"  unicode-range: {', '.join(f'U+{code}' for code in codes)} }}\n{rules}"
    )


def add_assets(app, config):
    static = Path(app.doctreedir).parent / "book_static"
    shutil.rmtree(static, ignore_errors=True)
    static.mkdir(parents=True)
    (static / "icons.css").write_text(icon_style(), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("paper.css"), static)
    config.html_static_path.append(str(static))
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def keep_nothing_waiting(app, pagename, templatename, context, doctree):
    """Run scripts once the page stands, except those that decide how it is first drawn."""
    context["default_mode"] = ""  # without scripts a page is light; with them, see the template
    context["script_files"] = [
        script for script in context["script_files"] if "sphinx_highlight" not in str(script)
    ]
    if pagename == "search":  # it talks to its scripts while it is read
        return
    made = context["js_tag"]

    def deferred(script):
        tag = made(script)
        if any(name in tag for name in EARLY):
            return tag
        return tag.replace("<script src=", "<script defer src=", 1)

    context["js_tag"] = deferred


def link_within(app, pagename, templatename, context, doctree):
    """Pictures drawn in Python link to the book by its address, which holds anywhere, or hide the
    link as long as there is none; on the site, to the page beside them, which holds from a file.
    """
    home = app.config.html_baseurl
    link = f'href="{home}' if home else 'hidden="" data-page="'
    if "body" in context:
        context["body"] = context["body"].replace(link, f'href="{context["content_root"]}')


def name_folds(app, pagename, templatename, context, doctree):
    """Name the theme's arrows that open a part of the contents, and folded code by its title."""
    made = context.get("generate_toctree_html")

    def named(*args, **kwargs):
        contents = str(made(*args, **kwargs))
        return contents.replace("<summary>", '<summary aria-label="Pages below">')

    if made:
        context["generate_toctree_html"] = named
    if "body" in context:
        context["body"] = context["body"].replace(
            '<summary aria-label="Toggle hidden content">', "<summary>"
        )


def keep_places(app, pagename, templatename, context, doctree):
    """Pictures come when they are near, and say how large they are, so that nothing jumps."""
    sources = {name: source for source, name in app.builder.images.items()}

    def sized(image):
        source = Path(app.srcdir) / sources.get(image[2], "-")
        if source.suffix != ".svg" or " width=" in image[0] or not source.is_file():
            return image[0]
        size = re.search(
            r'width="([\d.]+)pt" height="([\d.]+)pt"', source.read_text(encoding="utf-8")[:2000]
        )
        pixels = [round(float(points) * 4 / 3) for points in size.groups()] if size else None
        if not pixels:
            return image[0]
        width, height = pixels
        # The style sheet makes of its own width the one of the text
        return f'{image[1]} width="{width}" height="{height}" style="--wide: {width}px" />'

    if "body" in context:
        body = re.sub(r'(<img [^>]*src="[^"]*_images/([^"]+)")\s*/>', sized, context["body"])
        context["body"] = re.sub(r"<img (?![^>]*loading=)", '<img loading="lazy" ', body)


def without_unused_rules(style, names):
    """A style sheet without the selectors that ask for a class of another name."""

    def used(selector):
        plain = re.sub(r"\[[^]]*\]|:(?:not|is|where)\([^()]*\)", "", selector)
        return names.issuperset(re.findall(r"\.([\w-]+)", plain))

    def rule(match):
        if match[1].lstrip().startswith("@"):
            return match[0]
        selectors = [
            selector for selector in re.split(r",(?![^()]*\))", match[1]) if used(selector)
        ]
        return ",".join(selectors) + match[2] if selectors else ""

    # Comments hold the licences: they stay
    parts = re.split(r"(/\*.*?\*/)", style, flags=re.DOTALL)
    return "".join(part if part.startswith("/*") else RULE.sub(rule, part) for part in parts)


def remove_unused(app, exception):
    if exception is None and app.builder.format == "html":
        for pattern in UNUSED:
            for path in Path(app.outdir).glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        style = Path(app.outdir) / "_static" / "styles" / "pydata-sphinx-theme.css"
        if style.exists():
            texts = [*Path(app.outdir).rglob("*.html"), *Path(app.outdir).rglob("*.js")]
            names = {
                name
                for text in texts
                for name in re.findall(r"[\w-]+", text.read_text(encoding="utf-8"))
            }
            css = ICON_FONT.sub("", style.read_text(encoding="utf-8"))
            style.write_text(without_unused_rules(css, names), encoding="utf-8")
