"""The first layer of GPT-2, opened for an exercise of chapter 12.

The weights are those that OpenAI published (Radford et al., 2019), as Hugging Face keeps them: 548
MB, which are fetched once and only if asked for. Of these the first attention needs a few matrices.

Shapes: ``T`` length, ``D`` d_model.
"""

import json
from pathlib import Path
from typing import NamedTuple

import torch.nn.functional as F
from safetensors import safe_open
from torch import Tensor, nn

from transformer_lite.checks import check_whole
from transformer_lite.files import check_shapes, check_tensors, naming, shapes

FOREIGN = "is not GPT-2's"
HOME = "openai-community/gpt2"
FILES = "config.json", "tokenizer.json", "model.safetensors"


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
    from tokenizers import Tokenizer

    files = [Path(folder, name) for name in FILES] if folder else _files(fetch)
    if files is None:
        return None
    config, tokenizer, weights = files
    with naming(config, FOREIGN):
        sizes = json.loads(config.read_bytes())
        longest = sizes["n_positions"]
        n_heads = sizes["n_head"]
        check_whole("n_positions", longest, 1)
        check_whole("n_head", n_heads, 1)
    with naming(tokenizer, FOREIGN):
        reader = Tokenizer.from_file(str(tokenizer))
    read = reader.encode(text)
    if not 0 < len(read.ids) <= longest:
        raise ValueError(f"a text has 1 to {longest} pieces; this one has {len(read.ids)}")
    with naming(weights, FOREIGN):
        with safe_open(weights, framework="pt") as file:
            layer = {name: file.get_tensor(name) for name in _shapes(0, 0, 0)}
        n_pieces, d_model = layer["wte.weight"].shape
        check_shapes("the first layer", shapes(layer), _shapes(n_pieces, longest, d_model))
        check_tensors(layer)
        if max(read.ids) >= n_pieces:
            raise ValueError(f"it has {n_pieces} pieces, the tokenizer more")
        if d_model % n_heads:
            raise ValueError(f"its {d_model} numbers cannot be shared by {n_heads} heads")
    embedded = layer["wte.weight"][read.ids]  # (T, D)
    x = embedded + layer["wpe.weight"][: len(read.ids)]
    asking = F.layer_norm(x, (d_model,), layer["h.0.ln_1.weight"], layer["h.0.ln_1.bias"])
    # GPT-2 keeps W_Q, W_K and W_V side by side, as x W needs them: nn.Linear has them turned.
    matrices = layer["h.0.attn.c_attn.weight"].T.split(d_model)
    biases = layer["h.0.attn.c_attn.bias"].split(d_model)
    w_q, w_k, _ = (_linear(w, b) for w, b in zip(matrices, biases, strict=True))
    return FirstLayer(read.tokens, asking, w_q, w_k, n_heads)


def _shapes(n_pieces: int, n_positions: int, d_model: int) -> dict[str, tuple[int, ...]]:
    """The shapes of what is read of the weights, by name."""
    return {
        "wte.weight": (n_pieces, d_model),
        "wpe.weight": (n_positions, d_model),
        "h.0.ln_1.weight": (d_model,),
        "h.0.ln_1.bias": (d_model,),
        "h.0.attn.c_attn.weight": (d_model, 3 * d_model),
        "h.0.attn.c_attn.bias": (3 * d_model,),
    }


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    linear = nn.Linear(weight.size(1), weight.size(0)).requires_grad_(False)
    linear.load_state_dict({"weight": weight, "bias": bias})
    return linear


def _files(fetch: bool) -> list[Path] | None:
    try:  # with tokenizers it is nearly always there
        from huggingface_hub import hf_hub_download
    except ImportError:
        return None
    try:
        return [Path(hf_hub_download(HOME, name, local_files_only=not fetch)) for name in FILES]
    except OSError:  # neither here nor within reach
        return None
