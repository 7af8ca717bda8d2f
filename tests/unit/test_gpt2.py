"""The first layer of GPT-2, asked of a small random model whose files have the same form."""

import json
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import nn

from dev.exercise_cells import exercises_in
from transformer_lite.data.gpt2 import first_layer

TEXT = "the door was closed because the wind had"
D, HEADS = 96, 3
CHAPTER = Path(__file__).parents[2] / "chapters" / "12-what-has-changed.ipynb"


@pytest.fixture
def small(tmp_path):
    """A folder with the three files of such a model, and its tensors."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator([TEXT] * 9, trainers.BpeTrainer(vocab_size=60))
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    torch.manual_seed(0)
    tensors = {
        "wte.weight": torch.randn(60, D),
        "wpe.weight": torch.randn(40, D),
        "h.0.ln_1.weight": torch.rand(D),
        "h.0.ln_1.bias": torch.randn(D),
        "h.0.attn.c_attn.weight": 0.15 * torch.randn(D, 3 * D),
        "h.0.attn.c_attn.bias": torch.randn(3 * D),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    config = {"n_head": HEADS, "n_positions": 40}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path, tensors


def test_the_exercise_finds_the_weights_that_torch_finds(small):
    (exercise,) = (one for one in exercises_in(CHAPTER) if one.number == "12.5")
    given = {}
    exec(exercise.solution, given)
    weight_of = given["weight_of"]
    folder, tensors = small
    layer = first_layer(TEXT, folder=folder)
    length = len(layer.pieces)
    assert "".join(layer.pieces).replace("Ġ", " ") == TEXT and length >= 8
    torch_s = nn.MultiheadAttention(D, HEADS, batch_first=True)
    torch_s.in_proj_weight.data = tensors["h.0.attn.c_attn.weight"].T
    torch_s.in_proj_bias.data = tensors["h.0.attn.c_attn.bias"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    x = tensors["wte.weight"][tokenizer.encode(TEXT).ids] + tensors["wpe.weight"][:length]
    x = F.layer_norm(x, (D,), tensors["h.0.ln_1.weight"], tensors["h.0.ln_1.bias"])[None]
    later = torch.ones(length, length, dtype=torch.bool).triu(1)
    with torch.no_grad():
        _, wanted = torch_s(x, x, x, attn_mask=later, average_attn_weights=False)
    for head in range(HEADS):
        for query in range(length):
            found = [weight_of(layer, head, query, key) for key in range(query + 1)]
            assert torch.allclose(torch.stack(found), wanted[0, head, query, : query + 1])


def test_nothing_is_fetched_unasked_and_what_is_missing_is_none(tmp_path):
    huggingface_hub = pytest.importorskip("huggingface_hub")
    asked = []

    def download(home, name, local_files_only):
        asked.append(local_files_only)
        raise huggingface_hub.errors.LocalEntryNotFoundError(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(huggingface_hub, "hf_hub_download", download)
        assert first_layer(TEXT) is None
        assert first_layer(TEXT, fetch=True) is None
    assert asked == [True, False]


@pytest.mark.parametrize("text", ["", "door " * 60])
def test_a_text_that_cannot_be_read_is_refused(small, text):
    with pytest.raises(ValueError, match="1 to 40 pieces"):
        first_layer(text, folder=small[0])
