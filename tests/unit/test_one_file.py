"""The book's one file is short, stands alone, computes what the package computes, and learns."""

import ast
import re
import runpy

import torch
from conftest import ROOT

import transformer_lite as tl

FILE = ROOT / "chapters" / "one_file.py"
ONE_FILE = runpy.run_path(str(FILE))
SOURCE = FILE.read_text(encoding="utf-8")


def test_it_is_short_and_takes_torch_alone():
    page = (ROOT / "chapters" / "one-file.md").read_text(encoding="utf-8")
    lines = len(SOURCE.splitlines())
    assert lines <= 200 and f"in {lines} lines" in page
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported == {"itertools", "math", "torch"}


def test_with_the_same_weights_it_computes_what_the_package_computes():
    torch.manual_seed(0)
    sizes = dict(d_model=64, n_heads=4, d_ff=256, n_layers=2)
    package = tl.Transformer(tl.TransformerConfig(20, 30, **sizes, dropout=0.0)).eval()
    own = ONE_FILE["Transformer"](20, 30, **sizes)
    own.load_state_dict(package.state_dict())
    source = torch.randint(3, 20, (5, 7))
    source[1, 4:] = source[3, 2:] = ONE_FILE["PAD"]
    target = torch.randint(3, 30, (5, 9))
    scores, expected = own(source, target), package(source, target)
    assert torch.allclose(scores, expected, atol=1e-6, rtol=1e-6)
    scores.square().mean().backward()
    expected.square().mean().backward()
    for name, parameter in package.named_parameters():
        gradient = own.get_parameter(name).grad
        assert torch.allclose(gradient, parameter.grad, atol=1e-6, rtol=1e-4), name


def test_it_learns_a_language_and_ends_its_sentences(capsys):
    threads = torch.get_num_threads()
    german, english = zip(*ONE_FILE["sentences"](), strict=True)
    words = [ONE_FILE["numbered"](side) for side in (german, english)]
    source, target = map(ONE_FILE["as_ids"], (german, english), words)
    assert len(set(german)) == len(german) == 81
    torch.manual_seed(0)
    model = ONE_FILE["Transformer"](*map(len, words))
    ONE_FILE["train"](model, source[9:], target[9:], steps=60)
    first, last = re.findall(r"loss (\d+\.\d+)", capsys.readouterr().out)
    assert float(first) > 2 > 0.5 > float(last)
    written = ONE_FILE["write"](model, source[:1])
    assert written[-1] == ONE_FILE["EOS"] and len(written) < 20
    torch.set_num_threads(threads)
