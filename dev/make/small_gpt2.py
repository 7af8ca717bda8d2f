"""A small model of GPT-2's form, and what twelve of its heads look at.

    python -m dev.make.small_gpt2 [FOLDER]

It has twelve heads, a learned table of positions, biases in every matrix, GELU and norms first, as
GPT-2 has them, and learns the English half of the book's pairs. Its weights are written as GPT-2's
are kept, into FOLDER or a temporary one, and opened from there by `exhibits/gpt2.py`, as the
exercise of chapter 12 opens the real ones. Of all that the book stores what the last piece of a
text looks at: `attention_by_hand/exhibits/gpt2.json`.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from attention_by_hand import exhibits
from attention_by_hand.exhibits.gpt2 import LAYER, first_layer, plan_of
from dev.make import note
from transformer_lite.data.corpus import german_english
from transformer_lite.training import gradient_steps
from transformer_lite.variants import Decoder

KEPT = exhibits.file_of("gpt2")
TEXT = "i did not close the red door"
LONGEST = 24
NOTHING = -100  # no piece: what cross_entropy leaves out


def reader_of(texts: list[str]) -> Tokenizer:
    """Pieces in GPT-2's manner: bytes, joined where they stand together often."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def fresh(n_pieces: int, *, d_model: int = 96, n_layers: int = 2, n_heads: int = 12) -> Decoder:
    """Such a model before it has learnt anything."""
    return Decoder(plan_of(n_pieces, d_model, n_layers, n_heads, LONGEST))


def learn(model: Decoder, rows: list[Tensor], *, steps: int = 600) -> None:
    """Guess each next piece of texts drawn at random, 64 at a step."""
    dice = random.Random(0)

    def batch() -> Tensor:
        return pad_sequence(dice.sample(rows, 64), batch_first=True, padding_value=NOTHING)

    def loss(ids: Tensor) -> Tensor:
        logits = model(ids[:, :-1].clamp(min=0))
        return cross_entropy(logits.transpose(1, 2), ids[:, 1:], ignore_index=NOTHING)

    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    losses = gradient_steps(loss, (batch() for _ in range(steps)), optimizer)
    for step, found in enumerate(losses, start=1):
        if step % 100 == 0:
            print(f"step {step}, loss {found:.3f}", flush=True)
    model.eval()


def as_gpt2(model: Decoder) -> dict[str, Tensor]:
    """The weights by GPT-2's names, turned and scaled as it keeps them."""
    ours = model.state_dict()
    root = model.plan.d_model**0.5
    theirs = {
        "wte.weight": ours["embedding.weight"] * root,
        "wpe.weight": ours["positions.table.weight"] * root,
        "ln_f.weight": ours["norm.weight"] / root,
        "ln_f.bias": ours["norm.bias"] / root,
    }
    parts = {"ln_1": "norm1", "ln_2": "norm2", "attn.c_proj": "attention.w_o"}
    parts |= {"mlp.c_fc": "feed_forward.0", "mlp.c_proj": "feed_forward.2"}
    for i in range(model.plan.n_layers):
        for name in LAYER:
            part, end = name.rsplit(".", 1)
            if part == "attn.c_attn":
                three = [ours[f"layers.{i}.attention.w_{one}.{end}"] for one in "qkv"]
                tensor = torch.cat(three)
            else:
                tensor = ours[f"layers.{i}.{parts[part]}.{end}"]
            theirs[f"h.{i}.{name}"] = tensor.T if tensor.dim() == 2 else tensor
    return {name: tensor.contiguous() for name, tensor in theirs.items()}


def write_files(folder: Path, model: Decoder, tokenizer: Tokenizer) -> None:
    """The three files in which Hugging Face keeps a GPT-2."""
    config = {"n_head": model.plan.n_heads, "n_positions": model.plan.max_length}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(as_gpt2(model), folder / "model.safetensors")


def looks(folder: Path, text: str) -> dict:
    """The pieces of a text, and for each head of the first layer the last piece's weights."""
    layer = first_layer(text, folder=folder)
    d_k = layer.asking.size(1) // layer.n_heads
    q = layer.w_q(layer.asking[-1]).view(layer.n_heads, d_k)
    keys = layer.w_k(layer.asking).view(-1, layer.n_heads, d_k)
    weights = torch.einsum("hd,thd->ht", q, keys).div(d_k**0.5).softmax(-1)
    rounded = [[round(weight, 3) for weight in head] for head in weights.tolist()]
    return {"pieces": layer.pieces, "weights": rounded}


def main() -> None:
    texts = [english for _, english in german_english()]
    tokenizer = reader_of(texts)
    rows = [torch.tensor(tokenizer.encode(text).ids[: LONGEST + 1]) for text in texts]
    torch.manual_seed(0)
    model = fresh(tokenizer.get_vocab_size())
    learn(model, rows)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        write_files(folder, model, tokenizer)
        found = looks(folder, TEXT)
    KEPT.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
    for piece, of_heads in zip(found["pieces"], zip(*found["weights"], strict=True), strict=True):
        print(f"{piece:10}", *(f"{weight:.2f}" for weight in of_heads))
    note(KEPT, __file__, [0])


if __name__ == "__main__":
    main()
