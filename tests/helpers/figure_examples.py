"""The figures' examples: one entry for each class, from which every test that holds for all figures
draws.

A figure that has no entry here fails `test_every_figure.py`, which says what is missing.
"""

import re
from dataclasses import dataclass

import numpy as np
import torch

import transformer_lite as tl
from attention_by_hand import figures

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\u202eright to left",
    "שלום",
    "🍺",
    "x" * 200,
    "",
    "$\\frac{$",
    "a&amp;b",
    "--><!--\0\b\x1b\uffff",
    "'\"`${1}",
]


@dataclass(frozen=True)
class Example:
    """`code` makes the figure: it runs here, and is typed into a notebook. `moves` names, for the
    label of each of its controls, the data-* attribute that one key press must change (None: only
    the picture changes). `hostile` makes one out of the tokens HOSTILE, and `labels` finds where
    they are written; None where a figure takes no words.
    """

    code: str
    moves: dict[str, str | None]
    hostile: str | None
    labels: str | None

    def make(self):
        return made(self.code)


def untrained(words, **sizes):
    """An untrained translator's translation of these words into themselves."""
    vocabulary = tl.Vocabulary(list(words))
    sizes = {"d_model": 16, "d_ff": 16, "n_layers": 2, "n_heads": 2, "max_length": 32} | sizes
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = tl.Transformer(
            tl.TransformerConfig(len(vocabulary), len(vocabulary), **sizes)
        ).eval()
    return tl.Translation(
        list(words), list(words), translator=tl.Translator(model, vocabulary, vocabulary)
    )


def made(code):
    """What a line of a notebook gives, after the imports of `SETUP`."""
    return eval(
        code, {"torch": torch, "tl": tl, "HOSTILE": HOSTILE, "untrained": untrained} | vars(figures)
    )


SETUP = "import torch\nimport transformer_lite as tl\nfrom attention_by_hand.figures import *"
SQUARE = (
    "torch.rand(1, 1, len(HOSTILE), len(HOSTILE), "
    "generator=torch.Generator().manual_seed(0)).softmax(-1)"
)
MAPS = "list(torch.randn(2, 1, 3, 4, 4, generator=torch.Generator().manual_seed(0)).softmax(-1))"

EXAMPLES = {
    "AttentionExplorer": Example(
        f"AttentionExplorer.from_maps(encoder={MAPS}, cross={MAPS}, source_tokens='ich mochte ein "
        "bier'.split(), "
        "target_tokens='<bos> i want a'.split())",
        {"attention": "kind", "layer": "layer", "head": "head", "query": "row"},
        f"AttentionExplorer.from_maps(encoder=[{SQUARE}], source_tokens=HOSTILE)",
        ".label.col .token",
    ),
    "BreakIt": Example("BreakIt(off=[])", {}, None, None),
    "ByHand": Example(
        "ByHand(torch.arange(24.).view(2, 3, 4) / 10, torch.eye(4), torch.zeros(4), [list('abc'), "
        "list('def')])",
        {"sentence": "sentence", "step": "step", "row": "row", "column": "column"},
        "ByHand(torch.linspace(-1, 1, 4 * len(HOSTILE)).view(-1, 4), torch.eye(4), torch.zeros(4), "
        "HOSTILE, "
        "step='scores')",
        ".panel.scores thead .token",
    ),
    "EmbeddingLookup": Example(
        "EmbeddingLookup({'tea': [0.1, 0.2], 'cup': [0.3, 0.4]}, [['cup', 'tea'], ['tea']], "
        "gloss={'tea': 'chá'})",
        {"sentence": "sentence", "word": "position", "number": None},
        "EmbeddingLookup({word: [float(i), 1.0] for i, word in enumerate(HOSTILE)}, [HOSTILE])",
        ".panel tbody .token",
    ),
    "HeadLanes": Example(
        "HeadLanes()",
        {"query": "row", "head 0": "on", "head 1": "on", "head 2": "on", "head 3": "on"},
        "HeadLanes(untrained(HOSTILE))",
        ".lane:first-child .word .token",
    ),
    "HeadsInMemory": Example(
        "HeadsInMemory(torch.arange(48.).view(3, 16), n_heads=4)",
        {"step": "step", "head": "head", "token": "token"},
        None,
        None,
    ),
    "InductionHeads": Example("InductionHeads()", {}, None, None),
    "Judge": Example("Judge()", {"who judges": "judge", "leash": "leash"}, None, None),
    "LiveTranslator": Example(
        "LiveTranslator()",
        {"word": "step", "attention": "kind", "layer": "layer", "head": "head"},
        "LiveTranslator(tl.Translator(tl.Transformer(tl.TransformerConfig(15, 15, 16, 16, 1, 2, "
        "max_length=12)), "
        "tl.Vocabulary([*'abcdefghijk']), tl.Vocabulary(HOSTILE)), 'a b c d e f g h i j k', "
        "gloss=dict(zip('abcdefghijk', HOSTILE)))",
        ".source .meant",
    ),
    "MachineMap": Example(
        "MachineMap()",
        {
            "words written": "written",
            "place on the way up": "stop",
            "German word": "sourceWord",
            "English word": "decoderWord",
        },
        "MachineMap(untrained(HOSTILE), written=len(HOSTILE) - 1)",
        ".words.source .token",
    ),
    "ManyNetworks": Example(
        "ManyNetworks()",
        {"networks at work": "topK", "token, across": "across", "token, up": "up"},
        None,
        None,
    ),
    "Masks": Example(
        "Masks()",
        {"mask": "kind", "true length": "length", "changed word": "changed"},
        "Masks(HOSTILE)",
        ".panel tbody .token",
    ),
    "ModelBill": Example(
        "ModelBill()",
        {"model": "model", "tokens": "exponent", "card": "card", "weights in": "bits"},
        None,
        None,
    ),
    "OneWeight": Example(
        "OneWeight(steps=1)",
        {"weight": "weight", "learning rate": "rate", "steps": "steps"},
        None,
        None,
    ),
    "OneSlope": Example(
        "OneSlope(step=5)",
        {"boxes done": "step", "more steps taken": "taken"},
        None,
        None,
    ),
    "PathLengths": Example(
        "PathLengths()",
        {"words n": "words", "width k": "width", "step": "step"},
        None,
        None,
    ),
    "Pencil": Example(
        "Pencil([2.0, -1.5, 0.5, 1.0], [[1.5, -2.0, 1.0, 0.5], [0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1], "
        "[-1, 0, 1, 0]], ['zu', 'die', 'rote', 'Tür'], asks='not', writes='close')",
        {"steps done": "step"},
        "Pencil(torch.arange(4.), torch.arange(4. * len(HOSTILE)).view(-1, 4) / 40, HOSTILE, "
        "asks=HOSTILE[0], writes=HOSTILE[1], step=5)",
        ".line:not(.target) .token",
    ),
    "Positions": Example(
        "Positions(d_model=16, length=20)",
        {"position": "position", "pair": "pair", "shift k": "shift"},
        None,
        None,
    ),
    "Answer": Example(
        "Answer('3.1', right=[2.5], mistakes=[([6.25], 'that is the variance.')], "
        "otherwise=['begin with one product.'])",
        {},
        "Answer('3.1', right=[1] * len(HOSTILE), mistakes=[], otherwise=HOSTILE, asks=HOSTILE)",
        "label",
    ),
    "Prediction": Example(
        "Prediction('5.1', 'What weight does the padding get?', ['0 %', '9 %', '33 %'], answer=1, "
        "because='e⁰ is 1.')",
        {},
        "Prediction('5.1', HOSTILE[0], HOSTILE, answer=1, because=HOSTILE[1])",
        ".option span",
    ),
    "Predictions": Example("Predictions(5)", {}, None, None),
    "Question": Example(
        "Question()",
        {"question, across": "across", "question, up": "up"},
        "Question(words=HOSTILE, keys=[(i / 8, 1) for i in range(len(HOSTILE))])",
        ".moves thead .token",
    ),
    "Recall": Example(
        "Recall()",
        {"letters": "length"},
        None,
        None,
    ),
    "SoftmaxScale": Example(
        "SoftmaxScale()",
        {"dₖ, numbers in a vector": "exponent", "keys": "keys", "query": "query"},
        None,
        None,
    ),
    "Threads": Example(
        "Threads()",
        {},
        "Threads([untrained(HOSTILE)])",
        ".source .token",
    ),
    "TrainingPlayground": Example(
        "TrainingPlayground(d_model=16)",
        {
            "layers": "layers",
            "width d_model": "d_model",
            "heads": "heads",
            "learning rate": "rate",
            "warm-up": "warmup",
            "LayerNorm": "norm",
            "dropout": "dropout",
            "seed": "seed",
            "without LayerNorm": "no_layer_norm",
            "without feed-forward": "no_feed_forward",
            "sentence": "sentence",
            "layer shown": "layer",
            "head shown": "head",
        },
        "TrainingPlayground([(HOSTILE, HOSTILE)], layers=1, d_model=16)",
        ".cross thead .token",
    ),
    "TrainingReplay": Example(
        "TrainingReplay({'run': [(1.0, torch.eye(2).repeat(2, 1, 1)), (0.5, torch.ones(2, 2, 2) / "
        "2)]}, rows='ab', "
        "columns='cd', step=0)",
        {"step": "step", "head": "head"},
        f"TrainingReplay({{HOSTILE[0]: [(1.0, {SQUARE}[0])]}}, rows=HOSTILE, columns=HOSTILE)",
        ".panel tbody .token",
    ),
    "Writer": Example(
        "Writer()",
        {"temperature": "temperature", "top-k": "topK", "top-p": "topP"},
        "Writer(tl.decoder_only.DecoderOnly(15, d_model=16, d_ff=16, n_layers=1, n_heads=2), "
        "tl.Vocabulary(HOSTILE), '', written=HOSTILE)",
        ".wrote .token",
    ),
}
# A question is no picture to take away.
SAVED = [name for name in EXAMPLES if not name.startswith(("Answer", "Prediction"))]


def spoken(text):
    """The words and numbers of a text: what a test asks for, however the sentence is put."""
    return {*re.findall(r"[\w.,]*\w", text)}


def shown(page, index=0):
    """The tables of numbers of a figure, by caption, read whether or not they are unfolded."""
    tables = (
        page.locator(".tl-figure")
        .nth(index)
        .evaluate(
            """home => [...home.shadowRoot.querySelectorAll('.numbers table')].map((table) => [
            table.caption.textContent,
            [...table.tBodies[0].rows].map((row) =>
                [...row.querySelectorAll('td')].map((td) => td.textContent))])"""
        )
    )
    return {
        name: np.array([[float(v.replace("−", "-")) for v in row] for row in rows])
        for name, rows in tables
    }


# JavaScript, for any browser: whether a figure is at work, and all that it shows under its
# controls: its markup, the pixels of its pictures, its numbers.
BUSY = "home => !!home.shadowRoot?.querySelector('[aria-busy=true]')"
DRAWN = """home => ['.body', '.scroll', '[role=status]'].map((part) => {
    const node = home.shadowRoot.querySelector(part);
    const pixels = [...node.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL());
    return [node.innerHTML, ...pixels];
})"""


FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def resize(page, width, height=800):
    """Makes the window so wide, and waits until what is placed by measuring has followed."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(FRAMES)


def unfold(page):
    """Opens the folds of all figures, as one must before moving what is in them."""
    page.locator(".tl-figure details.fold").evaluate_all(
        "all => all.forEach((fold) => { fold.open = true; })"
    )


def settled(page):
    """Waits until no figure is at work: one that computes beside the page says so."""
    page.wait_for_function(f"![...document.querySelectorAll('.tl-figure')].some({BUSY})")


def state(page, index=0):
    """The data-* attributes of a figure: what it says it shows."""
    settled(page)
    return (
        page.locator(".tl-figure")
        .nth(index)
        .evaluate("h => ({...h.shadowRoot.querySelector('figure').dataset})")
    )


def pixels(canvas):
    """Red, green, blue and opacity of each pixel, from 0 to 255: (rows, columns, 4)."""
    width, height, data = canvas.evaluate(
        "c => [c.width, c.height, [...c.getContext('2d').getImageData(0, 0, c.width, "
        "c.height).data]]"
    )
    return np.array(data).reshape(height, width, 4)


def painted(canvas):
    """What a canvas shows of numbers with signs, (rows, columns) from −1 to 1: blue above zero,
    orange below.
    """
    red, _, blue, strength = pixels(canvas).transpose(2, 0, 1)
    return np.where(blue > red, strength, -strength) / 255


def drawn(page, index=0):
    """What `DRAWN` finds in a figure at rest."""
    settled(page)
    return page.locator(".tl-figure").nth(index).evaluate(DRAWN)
