"""GPT-2, opened for an exercise of chapter 12: its first attention, and the whole of it as a
``Decoder``.

The weights are those that OpenAI published (Radford et al., 2019), as Hugging Face keeps them: 548
MB, which are fetched once and only if asked for. ``small_run`` is what comes with the book instead:
the attention weights of a small model of the same form.

Shapes: ``T`` length, ``D`` d_model.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from transformer_lite.checks import check_whole
from transformer_lite.files import check_shapes, check_tensors, damaged_file, shapes
from transformer_lite.variants import Decoder, Plan

from . import stored

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOREIGN = "is not GPT-2's"
HOME = "openai-community/gpt2"
FILES = "config.json", "tokenizer.json", "model.safetensors"
# What its first attention needs
FIRST = (
    "wte.weight",
    "wpe.weight",
    "h.0.ln_1.weight",
    "h.0.ln_1.bias",
    "h.0.attn.c_attn.weight",
    "h.0.attn.c_attn.bias",
)
# A layer of GPT-2, by its own names: how often D the rows and columns have; D alone is a vector
LAYER = {
    "ln_1.weight": (1,),
    "ln_1.bias": (1,),
    "attn.c_attn.weight": (1, 3),
    "attn.c_attn.bias": (3,),
    "attn.c_proj.weight": (1, 1),
    "attn.c_proj.bias": (1,),
    "ln_2.weight": (1,),
    "ln_2.bias": (1,),
    "mlp.c_fc.weight": (1, 4),
    "mlp.c_fc.bias": (4,),
    "mlp.c_proj.weight": (4, 1),
    "mlp.c_proj.bias": (1,),
}
# What a file may say of such a model without being another one: whatever else these settings are,
# they change its scores. Those that are not given are GPT-2's.
SETTINGS = {
    "model_type": ("gpt2",),
    # All of one formula.
    "activation_function": (
        "gelu_new",
        "gelu_pytorch_tanh",
        "gelu_python_tanh",
        "gelu_fast",
        "gelu_accurate",
    ),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
    "tie_word_embeddings": (True,),
    "pruned_heads": ({}, None),
    "quantization_config": (None,),
    "auto_map": (None,),  # code of its own
}
MASKS = ".attn.bias", ".attn.masked_bias"  # are stored with some, and never learnt


class FirstLayer(NamedTuple):
    """What the attention of the first layer is given, and its matrices.

    pieces: the text as GPT-2 reads it, where ``Ġ`` stands for a space; asking: a vector for each
    piece, ``(T, D)``, embedding and position, normalised; w_q, w_k: ``D`` to ``D``, each with a
    bias, of which every head has ``D / n_heads`` rows.
    """

    pieces: list[str]
    asking: Tensor
    w_q: nn.Linear
    w_k: nn.Linear
    n_heads: int


def first_layer(
    text: str, *, fetch: bool = False, folder: str | Path | None = None
) -> FirstLayer | None:
    """GPT-2's first attention, ready to read a text; None where the weights are not to be had.

    fetch: download what is not on this machine yet. folder: where the model's three files lie,
    instead of the place where Hugging Face keeps them.

    Raises ValueError for a text without a piece, for one that is longer than the model reads, and
    for a file that is not GPT-2's.
    """
    files = _files(fetch, folder)
    if files is None:
        return None
    config, tokenizer, weights = files
    sizes = _sizes(config)
    longest = sizes["n_positions"]
    n_heads = sizes["n_head"]
    read = _reader(tokenizer).encode(text)
    if not 0 < len(read.ids) <= longest:
        raise ValueError(f"a text has 1 to {longest} pieces; this one has {len(read.ids)}")
    with damaged_file(weights, FOREIGN):
        with safe_open(weights, framework="pt") as file:
            prefix = _prefix(file.keys())
            layer = {name: file.get_tensor(prefix + name) for name in FIRST}
        n_pieces, d_model = layer["wte.weight"].shape
        wanted = _all_shapes(n_pieces, longest, d_model, n_layers=1)
        check_shapes("the first layer", shapes(layer), {name: wanted[name] for name in FIRST})
        check_tensors(layer)
        if max(read.ids) >= n_pieces:
            raise ValueError(f"it has {n_pieces} pieces, the tokenizer more")
        _check_heads(d_model, n_heads)
    embedded = layer["wte.weight"][read.ids]  # (T, D)
    x = embedded + layer["wpe.weight"][: len(read.ids)]
    asking = F.layer_norm(x, (d_model,), layer["h.0.ln_1.weight"], layer["h.0.ln_1.bias"])
    # GPT-2 keeps W_Q, W_K and W_V side by side, as x W needs them: nn.Linear has them turned.
    matrices = layer["h.0.attn.c_attn.weight"].T.split(d_model)
    biases = layer["h.0.attn.c_attn.bias"].split(d_model)
    w_q, w_k, _ = (_linear(w, b) for w, b in zip(matrices, biases, strict=True))
    return FirstLayer(read.tokens, asking, w_q, w_k, n_heads)


def plan_of(n_pieces: int, d_model: int, n_layers: int, n_heads: int, longest: int) -> Plan:
    """What a model of GPT-2's form and these sizes is built from."""
    return Plan(
        vocab_size=n_pieces,
        d_model=d_model,
        n_layers=n_layers,
        n_heads=n_heads,
        d_ff=4 * d_model,
        activation="gelu_tanh",
        positions="learned",
        max_length=longest,
        attention_bias="all",
        tied=True,
    )


def load_decoder(
    *, fetch: bool = False, folder: str | Path | None = None
) -> tuple[Decoder, "Tokenizer"] | None:
    """GPT-2 as the package's ``Decoder``, in evaluation mode, and the tokenizer that cuts its
    texts; None where the weights are not to be had. A model of the same form and another size is
    loaded too, whatever its names begin with, such as ``transformer.``.

    fetch, folder: as for ``first_layer``. Raises ValueError for a file that is not GPT-2's, and for
    a setting of it by which its scores would be others, see ``SETTINGS``.
    """
    files = _files(fetch, folder)
    if files is None:
        return None
    config, tokenizer, weights = files
    sizes = _sizes(config)
    longest = sizes["n_positions"]
    n_heads = sizes["n_head"]
    with damaged_file(weights, FOREIGN):
        held, head = _without_prefix(load_file(weights))
        n_pieces, d_model = held["wte.weight"].shape
        n_layers = sum(name.endswith(".ln_1.weight") for name in held)
        check_shapes("the model", shapes(held), _all_shapes(n_pieces, longest, d_model, n_layers))
        check_tensors(held)
        _check_heads(d_model, n_heads)
        if head is not None and not torch.equal(head, held["wte.weight"]):
            raise ValueError("its lm_head.weight is not its wte.weight")
    with damaged_file(config, FOREIGN):
        held_sizes = dict(vocab_size=n_pieces, n_embd=d_model, n_layer=n_layers)
        for name, size in (held_sizes | {"n_inner": 4 * d_model}).items():
            if sizes.get(name) not in (None, size):
                raise ValueError(f"{name} is {sizes[name]!r:.30}, and its weights have {size}")
    model = Decoder(plan_of(n_pieces, d_model, n_layers, n_heads, longest))
    model.load_state_dict(dict(_ours(held, n_layers)))
    return model.eval(), _reader(tokenizer)


def _ours(theirs: dict[str, Tensor], n_layers: int) -> Iterator[tuple[str, Tensor]]:
    """GPT-2's tensors, one by one, by the names that ``Decoder`` has for them.

    ``Decoder`` multiplies its embeddings by the root of D, as the paper does (section 3.4), and
    GPT-2 does not. So both tables are divided by it, and as the first one makes the scores too, the
    last norm is multiplied.
    """
    root = theirs["wte.weight"].size(1) ** 0.5
    yield "embedding.weight", theirs["wte.weight"] / root
    yield "output.weight", theirs["wte.weight"] / root
    yield "positions.table.weight", theirs["wpe.weight"] / root
    yield "norm.weight", theirs["ln_f.weight"] * root
    yield "norm.bias", theirs["ln_f.bias"] * root
    for i in range(n_layers):
        layer = {name: theirs[f"h.{i}.{name}"] for name in LAYER}
        for name, tensor in _our_layer(layer):
            yield f"layers.{i}.{name}", tensor


def _our_layer(theirs: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    # GPT-2 keeps a matrix as x W needs it: nn.Linear has it turned. A vector stays as it is.
    turned = {name: tensor.T if tensor.dim() == 2 else tensor for name, tensor in theirs.items()}
    for end in ("weight", "bias"):
        yield f"norm1.{end}", turned[f"ln_1.{end}"]
        for name, part in zip("qkv", turned[f"attn.c_attn.{end}"].chunk(3), strict=True):
            yield f"attention.w_{name}.{end}", part
        yield f"attention.w_o.{end}", turned[f"attn.c_proj.{end}"]
        yield f"norm2.{end}", turned[f"ln_2.{end}"]
        yield f"feed_forward.0.{end}", turned[f"mlp.c_fc.{end}"]
        yield f"feed_forward.2.{end}", turned[f"mlp.c_proj.{end}"]


@cache
def small_run() -> dict:
    """What ``python -m dev.make.small_gpt2`` has stored of a small model of GPT-2's form, with
    twelve heads: ``pieces`` of a text, and ``weights``, for each head those of the last piece on
    all pieces, from the first layer.
    """
    return stored("gpt2")


def _sizes(config: Path) -> dict:
    """What the file says of the model: ``n_positions``, its longest text, ``n_head``, and more."""
    with damaged_file(config, FOREIGN):
        sizes = json.loads(config.read_bytes())
        for name in ("n_positions", "n_head"):
            check_whole(name, sizes[name], 1)
        for name, known in SETTINGS.items():
            if name in sizes and sizes[name] not in known:
                raise ValueError(f"{name} is {sizes[name]!r:.60}, and GPT-2's {known[0]!r}")
    return sizes


def _prefix(names: Iterable[str]) -> str:
    """What stands before all of GPT-2's own names in a file, such as ``transformer.``."""
    ends = [name for name in names if name == "wte.weight" or name.endswith(".wte.weight")]
    if len(ends) != 1:
        raise ValueError(f"it holds {len(ends)} tensors wte.weight and should hold one")
    return ends[0].removesuffix("wte.weight")


def _without_prefix(tensors: dict[str, Tensor]) -> tuple[dict[str, Tensor], Tensor | None]:
    """The tensors by GPT-2's own names, without stored masks, and a head's table if there is one.

    What stands beside GPT-2, for another task, is left out.
    """
    prefix = _prefix(tensors)
    parts = ("wte.", "wpe.", "h.", "ln_f.")
    held = {name.removeprefix(prefix): x for name, x in tensors.items() if name.startswith(prefix)}
    held = {name: x for name, x in held.items() if name.startswith(parts)}
    held = {name: x for name, x in held.items() if not name.endswith(MASKS)}
    heads = [x for name, x in tensors.items() if name.endswith("lm_head.weight")]
    return held, heads[0] if heads else None


def _reader(tokenizer: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    with damaged_file(tokenizer, FOREIGN):
        return Tokenizer.from_file(str(tokenizer))


def _check_heads(d_model: int, n_heads: int) -> None:
    if d_model % n_heads:
        raise ValueError(f"its {d_model} numbers cannot be shared by {n_heads} heads")


def _all_shapes(
    n_pieces: int, n_positions: int, d_model: int, n_layers: int
) -> dict[str, tuple[int, ...]]:
    """The shapes of all that the model needs, by name."""
    layers = {
        f"h.{i}.{name}": tuple(times * d_model for times in shape)
        for i in range(n_layers)
        for name, shape in LAYER.items()
    }
    return layers | {
        "wte.weight": (n_pieces, d_model),
        "wpe.weight": (n_positions, d_model),
        "ln_f.weight": (d_model,),
        "ln_f.bias": (d_model,),
    }


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    linear = nn.Linear(weight.size(1), weight.size(0)).requires_grad_(False)
    linear.load_state_dict({"weight": weight, "bias": bias})
    return linear


def _files(fetch: bool, folder: str | Path | None) -> list[Path] | None:
    if folder:
        return [Path(folder, name) for name in FILES]
    try:  # with tokenizers it is nearly always there
        from huggingface_hub import hf_hub_download
    except ImportError:
        return None
    try:
        return [Path(hf_hub_download(HOME, name, local_files_only=not fetch)) for name in FILES]
    except OSError:  # neither here nor within reach
        return None
