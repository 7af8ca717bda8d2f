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

    Raises ValueError for a text without a piece, and for one that is longer than the model reads.
    """
    from tokenizers import Tokenizer

    files = [Path(folder, name) for name in FILES] if folder else _files(fetch)
    if files is None:
        return None
    config, tokenizer, weights = files
    config = json.loads(config.read_text(encoding="utf-8"))
    read = Tokenizer.from_file(str(tokenizer)).encode(text)
    if not 0 < len(read.ids) <= config["n_positions"]:
        raise ValueError(
            f"a text has 1 to {config['n_positions']} pieces; this one has {len(read.ids)}"
        )
    with safe_open(weights, framework="pt") as file:
        layer = {name: file.get_tensor(f"h.0.{name}") for name in _NAMES}
        embedded = file.get_tensor("wte.weight")[read.ids]  # (T, D)
        x = embedded + file.get_tensor("wpe.weight")[: len(read.ids)]
    d_model = x.size(-1)
    asking = F.layer_norm(x, (d_model,), layer["ln_1.weight"], layer["ln_1.bias"])
    # GPT-2 keeps W_Q, W_K and W_V side by side, as x W needs them: nn.Linear has them turned.
    matrices = layer["attn.c_attn.weight"].T.split(d_model)
    biases = layer["attn.c_attn.bias"].split(d_model)
    w_q, w_k, _ = (_linear(w, b) for w, b in zip(matrices, biases, strict=True))
    return FirstLayer(read.tokens, asking, w_q, w_k, config["n_head"])


_NAMES = "ln_1.weight", "ln_1.bias", "attn.c_attn.weight", "attn.c_attn.bias"


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
