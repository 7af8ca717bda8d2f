"""The table that says what made a file is whole, and its programs still run."""

import json
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import islice

import pytest
import torch
from conftest import ROOT
from fontTools.ttLib import TTFont
from PIL import Image

from attention_by_hand.figures import OneWeight
from dev.make import MADE, cards, letters, note, processor, thumbnails, wall
from transformer_lite.data import grammar
from transformer_lite.language_model import load_language_model
from transformer_lite.train.evaluation import evaluate
from transformer_lite.train.text import TextRecipe
from transformer_lite.training import gradient_steps

MAKE = ROOT / "dev" / "make"
TABLE = (MAKE / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.+?) \| `python -m ([\w.]+).*? \| (\d+) \|$", TABLE, re.M)


@pytest.mark.parametrize("files, module, minutes", ROWS, ids=[module for _, module, _ in ROWS])
def test_each_file_is_there_and_so_is_the_program_that_made_it(files, module, minutes):
    assert all((ROOT / file).is_file() for file in re.findall("`(.+?)`", files)), files
    assert find_spec(module) and int(minutes) > 0


def test_every_program_and_every_measurement_has_a_row():
    programs = {path.stem for path in MAKE.glob("*.py")} - {"__init__", "alone"}
    assert {f"dev.make.{name}" for name in programs} == {module for _, module, _ in ROWS} - {
        "transformer_lite"
    }
    named = {file for files, *_ in ROWS for file in re.findall("`(.+?)`", files)}
    kept = [*MAKE.glob("*.json"), *(ROOT / "attention_by_hand" / "exhibits").glob("*.json")]
    assert {path.relative_to(ROOT).as_posix() for path in kept if path != MADE} <= named


def test_each_record_says_by_which_program_from_which_seeds_and_on_what_it_was_made():
    records = {file.stem for file in MADE.parent.glob("*.json")} - {"made"}
    noted = json.loads(MADE.read_text(encoding="utf-8"))
    assert set(noted) == records
    for record in noted.values():
        program = (ROOT / record["program"]).read_text(encoding="utf-8")
        assert "note(" in program and record["seeds"] and record["processor"] and record["torch"]


def test_a_program_notes_what_it_has_made(monkeypatch, tmp_path):
    monkeypatch.setattr("dev.make.MADE", tmp_path / "made.json")
    (tmp_path / "made.json").write_text('{"z": {}, "heads": {}}')
    note(tmp_path / "heads.json", "somewhere/dev/make/heads.py", [0, 1])
    noted = json.loads((tmp_path / "made.json").read_text())
    assert [*noted] == ["heads", "z"]
    assert noted["heads"] == {
        "program": "dev/make/heads.py",
        "seeds": [0, 1],
        "processor": processor(),
        "torch": torch.__version__.partition("+")[0],
    }
    assert torch.backends.cpu.get_cpu_capability() in processor()


ONE = range(1)  # seed
TWO_STEPS = TextRecipe(steps=2)
ARTICLE = """
import torch
encoder_inputs = decoder_inputs = decoder_outputs = torch.tensor([[1, 2, 3, 4], [1, 2, 4, 3]])
idx2word, target_vocab = dict(enumerate("PSabE")), {"S": 1}
d_model = d_ff = n_layers = n_heads = p_drop = lr = epochs = 1
class Model(torch.nn.Module):
    def forward(self, source, read):
        return torch.eye(5)[read.flatten()], [torch.ones(len(source), 1, 4, 4) / 4], [], []
model = Model()
print("Epoch: 0001 loss = 0.5")
"""


def start(name, *runs, weekly=False, **cut):
    """A program, its words on the command line, and what is smaller in it here. `weekly`: even so
    it takes more than some two seconds.
    """
    marks = [pytest.mark.weekly] if weekly else []
    return pytest.param(name, runs or ([],), cut, marks=marks, id=name)


def catalogues():
    texts = [pair[:2] for pair in grammar.splits().train]
    return {name: texts[i::9] for i, name in enumerate(("tar", "apt", "libc", "others"))}


STARTS = [
    start("choosing", SEEDS=ONE, weekly=True),
    start("experts", SEEDS=ONE, MORE=((40, 0.01, 2),), weekly=True),
    start("friends", SEEDS=ONE),
    start("heads", PLANS=[(1, 4, False, True, ONE)]),
    start("induction", SEEDS=ONE, FEWER=ONE),
    start("judged", ["language"], ["runs"], SEEDS=ONE, every_pair=lambda: grammar.splits().unseen),
    start("label_smoothing", SEEDS=ONE, weekly=True),
    start("latent", SEEDS=ONE),
    start("memory", SEEDS=ONE, SIZES=(8,), WRITTEN=(2,), BETWEEN=(0, 4), PAIRS=(4, 8), weekly=True),
    start("other_runs", SEEDS=(1,)),
    start(
        "own_sentences",
        ["numbers"],
        ["catalogues"],
        SEEDS=ONE,
        catalogue_pairs=catalogues,
        weekly=True,
    ),
    start(
        "own_text",
        ["1"],
        ["9"],
        SEEDS=ONE,
        SHOWN=(0, 1, 2),
        TextRecipe=lambda: TWO_STEPS,
        weekly=True,
    ),
    start("patience", SEEDS=ONE),
    start("pretraining", ["order"], ["pairs"], ["forgets"], SEEDS=ONE, EVERY=1),
    start("query_norms", SEEDS=dict(repeats=ONE, language=ONE), LOOKS=400, weekly=True),
    start("question", SEEDS=ONE),
    start("recall", SEEDS=ONE, LONGER_SEEDS=ONE, LENGTHS=(1, 2), PLAYED=(3,)),
    start("sinks", SEEDS=dict(repeats=ONE, language=ONE), weekly=True),
    start("small_gpt2"),
    start("source_2", ["article.py"], SEEDS=ONE),
    start("starts", SEEDS=ONE),
    start("two_runs"),
    start(
        "variants", SEEDS=dict.fromkeys(("changes", "longer", "far", "dropout"), ONE), weekly=True
    ),
    start("writer", weekly=True),
    start("writing", SENTENCES=2, every_pair=lambda: grammar.splits().train),
]


def few(*sizes):
    """The grammar's pairs, with few to be tried on."""
    train, unseen, compositional = grammar.splits()
    return grammar.Splits(train, unseen[:60], compositional[:60])


CUTS = {  # wherever a program, or a study that it trains, knows these by name
    "gradient_steps": lambda loss, batches, *how: gradient_steps(loss, islice(batches, 2), *how),
    "evaluate": lambda translator, pairs: evaluate(translator, pairs[:2]),
    "splits": few,
}
CUT_IN = "attention_by_hand.studies", "dev.make", "transformer_lite.training"


@pytest.fixture
def small(monkeypatch, tmp_path):
    """`small(name, cut)`: a program whose trainings end after two steps, and which writes into the
    test's folder, where it runs.
    """
    threads = torch.get_num_threads()

    def small(name, cut):
        program = import_module(f"dev.make.{name}")
        for module in [module for at, module in sys.modules.items() if at.startswith(CUT_IN)]:
            for known in CUTS.keys() & vars(module).keys():
                monkeypatch.setattr(module, known, CUTS[known])
        for file in {"KEPT", "GROWN", "BOOK"} & vars(program).keys():
            monkeypatch.setattr(program, file, tmp_path / vars(program)[file].name)
        for size, fewer in cut.items():
            monkeypatch.setattr(program, size, fewer)
        return program

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dev.make.MADE", tmp_path / "made.json")
    (tmp_path / "made.json").write_text("{}")
    (tmp_path / "article.py").write_text(ARTICLE)
    yield small
    torch.set_num_threads(threads)


def names(record):
    """What a record is made of: its names, or those of its first row."""
    return set(record if isinstance(record, dict) else record[0])


@pytest.mark.parametrize("name, runs, cut", STARTS)
def test_a_program_runs_and_its_record_is_made_of_what_the_stored_one_is(
    name, runs, cut, small, monkeypatch, tmp_path
):
    stored = import_module(f"dev.make.{name}").KEPT
    program = small(name, cut)
    for words in runs:
        monkeypatch.setattr("sys.argv", [name, *words])
        program.main()
    if stored.suffix != ".json":
        assert len(load_language_model(program.KEPT).vocabulary) > 100
        return
    made = json.loads(program.KEPT.read_text(encoding="utf-8"))
    assert names(made) == names(json.loads(stored.read_text(encoding="utf-8")))
    noted = json.loads((tmp_path / "made.json").read_text())
    if stored.parent == MADE.parent:
        assert noted[stored.stem]["program"] == f"dev/make/{name}.py"


def test_the_cards_are_drawn(monkeypatch, tmp_path):
    monkeypatch.setattr(cards, "STATIC", tmp_path)
    monkeypatch.setattr(cards, "card", lambda: b"the book's own, which takes a browser")
    monkeypatch.setattr(wall, "STATIC", tmp_path)
    for program, folder in ((cards, "cards"), (wall, "wall")):
        program.main()
        drawn, kept = (
            {file.name: file.read_text().count("<") for file in (static / folder).iterdir()}
            for static in (tmp_path, ROOT / "_static")
        )
        assert drawn == kept


def test_a_name_that_is_no_figure_s_is_answered_with_those_that_are(capsys):
    assert thumbnails.chosen(["Threads", "Masks"]) == ["Threads", "Masks"]
    assert thumbnails.chosen([]) == list(thumbnails.THUMBNAILS)
    with pytest.raises(SystemExit):
        thumbnails.chosen(["Thread"])
    said = capsys.readouterr().err
    assert "no figure Thread;" in said and all(name in said for name in thumbnails.THUMBNAILS)


def test_a_picture_is_drawn_of_each_figure_that_is_given_and_of_no_other(
    browser, monkeypatch, tmp_path
):
    monkeypatch.setattr(thumbnails, "STATIC", tmp_path)
    thumbnails.draw(browser, {"OneWeight": OneWeight().snapshot()})
    drawn = {file.name: Image.open(file) for file in (tmp_path / "figures").iterdir()}
    assert {name: picture.size for name, picture in drawn.items()} == {
        "one-weight.webp": thumbnails.SIZE
    }
    assert all(len(picture.getcolors(1 << 16)) > 50 for picture in drawn.values()), "not empty"


def test_letters_are_cut_from_a_font(monkeypatch, tmp_path):
    monkeypatch.setattr(letters, "ROOT", tmp_path)
    font = letters.cut(letters.DEJAVU, letters.OTHER_SIGNS)
    letters.save(font, tmp_path / "signs.woff2", "Attention Signs")
    made, kept = (TTFont(at / "signs.woff2").getBestCmap() for at in (tmp_path, letters.SITE))
    assert made == kept


def test_every_program_is_started_here_or_where_what_it_draws_is_looked_at():
    programs = {path.stem for path in MAKE.glob("*.py")} - {"__init__", "alone"}
    looked_at = {"cards", "letters", "poster", "thumbnails", "wall"}
    assert {case.id for case in STARTS} == programs - looked_at
