"""GPT-2, asked of small random models whose files have the same form."""

import json
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import nn

from attention_by_hand.exercises.cells import exercises_in
from attention_by_hand.exhibits.gpt2 import LAYER, first_layer, load_decoder, small_run
from dev.make import small_gpt2

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


def of_tensors(**changes):
    """Change tensors, by the ends of their names; None leaves one out."""

    def changed(folder, tensors):
        for end, change in changes.items():
            name = next(name for name in tensors if name.replace(".", "_").endswith(end))
            tensors[name] = change and change(tensors[name]).contiguous()
        kept = {name: x for name, x in tensors.items() if x is not None}
        save_file(kept, folder / "model.safetensors")

    return changed


def becomes(name, content):
    return lambda folder, tensors: (folder / name).write_bytes(content)


# What is done to the files, the one that is named, and a part of what is said.
FOREIGN = [
    (becomes("config.json", b"{}"), "config.json", "n_positions"),
    (becomes("config.json", b"[]"), "config.json", "list indices"),
    (becomes("config.json", b"[" * 100_000), "config.json", "Recursion"),
    (becomes("config.json", b"\xff"), "config.json", "codec"),
    (becomes("config.json", b'{"n_positions": 40, "n_head": "3"}'), "config.json", "n_head"),
    (becomes("config.json", b'{"n_positions": 40, "n_head": 0}'), "config.json", "n_head"),
    (becomes("config.json", b'{"n_positions": 1e9, "n_head": 3}'), "config.json", "n_positions"),
    (
        becomes("config.json", b'{"n_positions": 40, "n_head": 5}'),
        "model.safetensors",
        "96 numbers cannot be shared by 5 heads",
    ),
    (becomes("tokenizer.json", b"{}"), "tokenizer.json", ""),
    (becomes("tokenizer.json", b""), "tokenizer.json", ""),
    (becomes("model.safetensors", b"\0" * 99), "model.safetensors", ""),
    (of_tensors(wpe_weight=None), "model.safetensors", "wpe.weight"),
    (of_tensors(wpe_weight=lambda x: x[:1]), "model.safetensors", "wpe.weight has shape (1, 96)"),
    (of_tensors(wte_weight=lambda x: x[:3]), "model.safetensors", "3 pieces"),
    (of_tensors(wte_weight=lambda x: x[0]), "model.safetensors", "unpack"),
    (of_tensors(c_attn_weight=lambda x: x[:, :-1]), "model.safetensors", "c_attn.weight has shape"),
    (of_tensors(c_attn_bias=lambda x: x[:96]), "model.safetensors", "c_attn.bias has shape"),
    (of_tensors(ln_1_weight=lambda x: x / 0), "model.safetensors", "ln_1.weight is torch.float32"),
    (of_tensors(wpe_weight=lambda x: x * torch.nan), "model.safetensors", "nan"),
    (of_tensors(wte_weight=lambda x: x.int()), "model.safetensors", "int32"),
]


@pytest.mark.parametrize(("change", "named", "said"), FOREIGN, ids=range(len(FOREIGN)))
def test_a_file_that_is_not_gpt2s_is_named(small, change, named, said):
    folder, tensors = small
    change(folder, tensors)
    with pytest.raises(ValueError, match=f"{named} is not GPT-2's: ") as caught:
        first_layer(TEXT, folder=folder)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "door " * 60])
def test_a_text_that_cannot_be_read_is_refused(small, text):
    with pytest.raises(ValueError, match="1 to 40 pieces"):
        first_layer(text, folder=small[0])


def random_tensors(n_pieces=60, n_positions=40, n_layers=2):
    """A whole model, by GPT-2's names."""
    torch.manual_seed(1)
    tensors = {
        "wte.weight": torch.randn(n_pieces, D),
        "wpe.weight": torch.randn(n_positions, D),
        "ln_f.weight": torch.rand(D),
        "ln_f.bias": torch.randn(D),
    }
    for i in range(n_layers):
        for name, shape in LAYER.items():
            size = [times * D for times in shape]
            tensors[f"h.{i}.{name}"] = torch.randn(size) / size[0] ** 0.5
    return tensors


def as_its_makers_compute(tensors, ids, n_layers=2):
    """GPT-2's scores for the pieces that come next, from its matrices: (T, pieces)."""

    def norm(x, name):
        return F.layer_norm(x, (D,), tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    def times(x, name):
        return x @ tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    x = tensors["wte.weight"][ids] + tensors["wpe.weight"][: len(ids)]
    for i in range(n_layers):
        q, k, v = (
            part.unflatten(1, (HEADS, -1)).transpose(0, 1)
            for part in times(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(D, dim=1)
        )
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + times(heads.transpose(0, 1).flatten(1), f"h.{i}.attn.c_proj")
        h = times(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        x = x + times(F.gelu(h, approximate="tanh"), f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ tensors["wte.weight"].T


@torch.no_grad()
def test_the_whole_model_computes_what_its_makers_do_key_by_key(small):
    folder, _ = small
    ids = torch.randint(60, (30,))
    tensors = random_tensors()

    def scores():
        save_file(tensors, folder / "model.safetensors")
        decoder, _ = load_decoder(folder=folder)
        found = decoder(ids[None])[0]
        wanted = as_its_makers_compute(tensors, ids)
        assert torch.allclose(found, wanted, atol=1e-3, rtol=1e-4)
        return found

    before = scores()
    for name, tensor in tensors.items():
        tensors[name] = tensor + torch.randn_like(tensor)
        after = scores()
        assert not torch.allclose(before, after, atol=1e-2), name
        tensors[name] = tensor


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("h.1.mlp.c_fc.weight", None, "h.1.mlp.c_fc.weight"),
        ("h.1.mlp.c_fc.weight", lambda x: x.T, "h.1.mlp.c_fc.weight has shape"),
        ("h.0.attn.c_proj.bias", lambda x: x * torch.nan, "nan"),
        ("ln_f.bias", None, "ln_f.bias"),
        ("wte.weight", None, "wte.weight"),
        ("wpe.weight", lambda x: x[:9], "wpe.weight has shape"),
    ],
)
def test_a_whole_model_that_is_not_gpt2s_is_named(small, name, change, said):
    folder, _ = small
    tensors = random_tensors()
    tensor = tensors.pop(name)
    if change:
        tensors[name] = change(tensor).contiguous()
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ValueError, match="model.safetensors is not GPT-2's: ") as caught:
        load_decoder(folder=folder)
    assert said in str(caught.value)


@torch.no_grad()
@pytest.mark.parametrize("prefix", ["transformer.", "module.transformer.", "_orig_mod."])
def test_names_may_begin_with_something_and_masks_and_the_same_head_are_no_matter(small, prefix):
    folder, _ = small
    tensors = random_tensors()
    ids = torch.randint(60, (30,))
    stored = {prefix + name: tensor for name, tensor in tensors.items()}
    stored[f"{prefix}h.0.attn.bias"] = torch.ones(1, 1, 40, 40).tril()
    stored[f"{prefix}h.1.attn.masked_bias"] = torch.tensor(-1e4)
    stored["lm_head.weight"] = tensors["wte.weight"].clone()
    stored["score.weight"] = torch.ones(2, D)
    save_file(stored, folder / "model.safetensors")
    decoder, _ = load_decoder(folder=folder)
    wanted = as_its_makers_compute(tensors, ids)
    assert torch.allclose(decoder(ids[None])[0], wanted, atol=1e-3, rtol=1e-4)
    assert len(first_layer(TEXT, folder=folder).pieces) >= 8
    stored["lm_head.weight"] += 0.1
    save_file(stored, folder / "model.safetensors")
    with pytest.raises(ValueError, match="is not GPT-2's: its lm_head.weight is not its wte"):
        load_decoder(folder=folder)


AS_PUBLISHED = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "n_ctx": 40,
    "n_embd": D,
    "n_layer": 2,
    "vocab_size": 60,
    "n_inner": None,
    "layer_norm_epsilon": 1e-05,
    "attn_pdrop": 0.1,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "reorder_and_upcast_attn": True,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}


@pytest.mark.parametrize(
    ("name", "value", "harmless"),
    [
        ("scale_attn_by_inverse_layer_idx", True, False),
        ("scale_attn_weights", False, False),
        ("activation_function", "relu", False),
        ("activation_function", "gelu", False),
        ("activation_function", "gelu_pytorch_tanh", True),
        ("layer_norm_epsilon", 1e-6, False),
        ("reorder_and_upcast_attn", False, True),
        ("add_cross_attention", True, False),
        ("tie_word_embeddings", False, False),
        ("model_type", "gpt_neo", False),
        ("n_inner", 4 * D, True),
        ("n_inner", 2 * D, False),
        ("n_layer", 1, False),
        ("n_embd", 2 * D, False),
        ("vocab_size", 61, False),
        ("resid_pdrop", 0.5, True),
    ],
)
def test_a_setting_that_would_change_the_scores_is_refused_by_its_name(
    small, name, value, harmless
):
    folder, _ = small
    save_file(random_tensors(), folder / "model.safetensors")
    config = {"n_head": HEADS, "n_positions": 40} | AS_PUBLISHED
    (folder / "config.json").write_text(json.dumps(config | {name: value}))
    if harmless:
        assert load_decoder(folder=folder)
        return
    with pytest.raises(ValueError, match=f"config.json is not GPT-2's: {name} is {value!r}"):
        load_decoder(folder=folder)


def test_a_layer_with_further_weights_is_not_gpt2s(small):
    folder, _ = small
    further = {"h.1.attn.c_attn.lora_A.weight": torch.ones(2, D)}
    save_file(random_tensors() | further, folder / "model.safetensors")
    with pytest.raises(ValueError, match="it holds h.1.attn.c_attn.lora_A.weight"):
        load_decoder(folder=folder)


@torch.no_grad()
def test_the_small_run_is_one_of_a_model_of_gpt2s_form(tmp_path):
    tokenizer = small_gpt2.reader_of([small_gpt2.TEXT] * 9)
    torch.manual_seed(0)
    made = small_gpt2.fresh(tokenizer.get_vocab_size()).eval()
    small_gpt2.write_files(tmp_path, made, tokenizer)
    loaded, reader = load_decoder(folder=tmp_path)
    ids = torch.tensor([reader.encode(small_gpt2.TEXT).ids])
    assert torch.allclose(loaded(ids), made(ids), atol=1e-5)

    looks = small_gpt2.looks(tmp_path, small_gpt2.TEXT)
    seen = []
    made.layers[0].attention.register_forward_hook(lambda *three: seen.append(three[-1][1]))
    made(ids)
    assert torch.allclose(torch.tensor(looks["weights"]), seen[0][0, :, -1], atol=6e-4)

    stored = small_run()
    assert "".join(stored["pieces"]).replace("Ġ", " ") == small_gpt2.TEXT
    weights = torch.tensor(stored["weights"])
    assert weights.shape == (12, len(stored["pieces"]))
    assert torch.allclose(weights.sum(1), torch.ones(12), atol=0.005)
    assert weights.std(0).max() > 0.2, "its heads have learnt to look at different things"
