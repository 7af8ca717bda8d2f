"""Two processes that share every batch learn what one process learns."""

import json
import re
import subprocess
import sys

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from transformer_lite.command_line.main import main

SIZES = "eins one zwei two drei three vier four fünf five sechs six".split()
WORDS = list(zip(SIZES[::2], SIZES[1::2], strict=True))


def write_pairs(path):
    """Sentences of one to four words, so that the halves of a batch differ in their tokens."""
    lines = []
    for i in range(150):
        words = [WORDS[i * k % 6] for k in range(1, i % 4 + 2)]
        lines.append(" ".join(g for g, _ in words) + "\t" + " ".join(e for _, e in reversed(words)))
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.skipif(
    not (dist.is_available() and dist.is_gloo_available()),
    reason="this torch was built without gloo",
)
def test_two_processes_have_the_losses_and_the_weights_of_one(tmp_path):
    write_pairs(tmp_path / "pairs.tsv")
    small = "--epochs 10 --valid 2 --d-model 16 --d-ff 16 --n-layers 1 --n-heads 2".split()
    words = ["train", "--pairs", str(tmp_path / "pairs.tsv"), *small, "--out"]
    assert main([*words, str(tmp_path / "one")]) == 0
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    torchrun += ["--nproc-per-node=2", "-m", "transformer_lite"]
    two = subprocess.run(
        [*torchrun, *words, tmp_path / "two"], capture_output=True, text=True, timeout=120
    )
    assert two.returncode == 0, two.stderr
    one, both = (
        json.loads((tmp_path / name / "training.json").read_text()) for name in ("one", "two")
    )
    assert len(one["losses"]) >= 20
    assert both["losses"] == pytest.approx(one["losses"], abs=1e-5)
    assert len(one["held_out"]) == 10
    for mine, theirs in zip(one["held_out"], both["held_out"], strict=True):
        assert theirs == pytest.approx(mine, abs=1e-4)
    one, both = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for name, weight in one.items():
        torch.testing.assert_close(both[name], weight, atol=1e-4, rtol=1e-4, msg=name)
    assert two.stdout == "" and len(re.findall("the translator is in", two.stderr)) == 1
