"""Where does a head look when there is nothing to look at?

    python -m dev.make.sinks [stored|repeats|language]

`stored` asks the models that come with the book: how much of its attention each head gives to the
first token, and how large what it fetches there is beside what it fetches elsewhere; and what the
writer can still do when nobody may look at its first token, which is always `<bos>` and says
nothing. `repeats` trains one small head whose service is wanted only now and then: after a mark it
has to say the letter before the mark once more, and everywhere else the letter itself says all that
can be known. The texts begin with `<bos>` or not, and the softmax has a sink of its own or not.
`language` trains the writer's kind anew, in the steps of chapter 11, without a sink and with one,
and hides the first token again. Without a word it does all three. Chapter 13 shows the results,
which come with the package, in attention_by_hand/exhibits/sinks.json.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_by_hand import exhibits
from attention_by_hand.figures.writer import SHIPPED
from dev.make import note
from transformer_lite import load_translator
from transformer_lite.attention import MultiHeadAttention
from transformer_lite.data.grammar import splits
from transformer_lite.language_model import load_language_model
from transformer_lite.training import gradient_steps
from transformer_lite.variants import Decoder, GroupedAttention, Plan
from transformer_lite.vocabulary import BOS_ID, EOS_ID, pad

from .alone import PAIRS, VOCABULARY, gather, train
from .variants import BASE

KEPT = exhibits.file_of("sinks")
SEEDS = {"repeats": range(5), "language": range(2)}
UNSEEN = [pair[:2] for pair in splits()[1][:200]]

# The texts of `repeats`: sixteen letters, each followed by one of four, and a mark.
LETTERS = 16
MARK = EOS_ID + 1 + LETTERS
LENGTH = 24
MARKED = 0.1
FOLLOWERS = torch.stack(
    [
        EOS_ID + 1 + torch.randperm(LETTERS, generator=torch.Generator().manual_seed(letter))[:4]
        for letter in range(LETTERS)
    ]
)
SMALL = Plan(
    vocab_size=MARK + 1,
    d_model=32,
    n_layers=1,
    n_heads=1,
    d_ff=64,
    positions="rotary",
    norm="rms",
)
KINDS = {
    "<bos>": {"begun": True},
    "<bos>, sink": {"begun": True, "sink": True},
    "no <bos>": {"begun": False},
    "no <bos>, sink": {"begun": False, "sink": True},
    "<bos>, a quarter of the rate": {"begun": True, "rate": 0.01},
    "<bos>, four times the rate": {"begun": True, "rate": 0.16},
}


class Look:
    """Keeps what an attention was given, what it made values of, and its weights, for the text that
    it has seen last.
    """

    def __init__(self, attention: nn.Module):
        self.attention = attention
        attention.register_forward_hook(self.keep)

    def keep(self, attention: nn.Module, given: tuple, found: tuple) -> None:
        self.given = given
        self.read = given[1] if isinstance(attention, MultiHeadAttention) else given[0]
        self.weights = found[1]

    def brought(self) -> Tensor:
        """How long the vector is that each token would add to the sum, ``(B, H, T)``."""
        heads = self.weights.size(1)
        values = self.attention.w_v(self.read).unflatten(-1, (heads, -1))  # (B, T, H, d)
        back = self.attention.w_o.weight.unflatten(-1, (heads, -1))  # (D, H, d)
        return torch.einsum("bthd,ohd->bhto", values, back).norm(dim=-1)


@contextmanager
def hidden(model: nn.Module, place: int | None) -> Iterator[None]:
    """Nobody may look at this place but the token that stands there."""

    def shut(attention: nn.Module, given: tuple) -> tuple:
        return tuple(without(one, place) for one in given)

    kinds = (MultiHeadAttention, GroupedAttention)
    attentions = [one for one in model.modules() if isinstance(one, kinds)]
    hooks = [one.register_forward_pre_hook(shut) for one in attentions if place is not None]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def without(given, place: int):
    """A mask without this column, below its own row; what is no mask stays as it is."""
    if not isinstance(given, Tensor) or given.dtype != torch.bool:
        return given
    mask = given.clone()
    mask[..., place + 1 :, place] = False
    return mask


def share_and_size(looks: dict[str, Look], run, texts: list, causal: set[str]) -> dict:
    """For each head the mean share of the first token, what an equal share would be, and how long
    what the first token brings is beside the mean of the others.
    """
    sums: dict[str, Tensor] = {}
    for text in texts:
        run(*text)
        for name, one in looks.items():
            w = one.weights[0]  # (H, T, keys)
            size = one.brought()[0]  # (H, keys)
            begin = 1 if name in causal else 0  # the first can only look at itself
            open_keys = torch.arange(begin + 1, w.size(1) + 1) if begin else w.size(2)
            equal = (1 / torch.as_tensor(open_keys).float()).mean().expand(w.size(0))
            first = w[:, begin:, 0].mean(-1)
            ratio = size[:, 0] / size[:, 1:].mean(-1)
            sums[name] = sums.get(name, 0) + torch.stack((first, equal, ratio))
    means = {name: (total / len(texts)).tolist() for name, total in sums.items()}
    return {
        name: {
            "first": [round(x, 3) for x in first],
            "equal": round(equal[0], 3),
            "size": [round(x, 3) for x in ratio],
        }
        for name, (first, equal, ratio) in means.items()
    }


def whole(german: str, english: str, vocabulary) -> tuple[list[int], int]:
    """A pair as the writer reads it, and where its English begins."""
    asked = [BOS_ID, *vocabulary.encode(vocabulary.tokenize(german)), BOS_ID]
    return [*asked, *vocabulary.encode(vocabulary.tokenize(english)), EOS_ID], len(asked)


@torch.no_grad()
def next_tokens(model: nn.Module, vocabulary, place: int | None) -> dict:
    """With a place that nobody may look at: the loss of an English token, and the share of the
    sentences, in per cent, whose every next token is the likeliest.
    """
    losses = []
    right = 0
    for german, english in UNSEEN:
        ids, begin = whole(german, english, vocabulary)
        with hidden(model, place):
            logits = model(torch.tensor([ids[:-1]]))[0, begin - 1 :]
        answer = torch.tensor(ids[begin:])
        losses.append(cross_entropy(logits, answer).item())
        right += (logits.argmax(-1) == answer).all().item()
    return {
        "loss": round(sum(losses) / len(losses), 3),
        "right": round(100 * right / len(UNSEEN), 1),
    }


@torch.no_grad()
def stored() -> dict:
    """The heads of the writer and of the translator, and the writer without its first token."""
    shipped = load_language_model(SHIPPED)
    writer, words = shipped.model, shipped.vocabulary
    names = {f"layer {i}": Look(layer.self_attention) for i, layer in enumerate(writer.layers, 1)}
    texts = [(torch.tensor([whole(*pair, words)[0][:-1]]),) for pair in UNSEEN]
    heads = share_and_size(names, lambda ids: writer(ids, return_attention=True), texts, set(names))
    measured = {"writer": heads, "writer, one place hidden": {}}
    for name, place in (("none", None), ("first", 0), ("second", 1), ("fourth", 3)):
        measured["writer, one place hidden"][name] = next_tokens(writer, words, place)
        print("writer", name, measured["writer, one place hidden"][name], flush=True)
    translator = load_translator()
    model = translator.model
    source, target = translator.source_vocabulary, translator.target_vocabulary
    looks = {}
    for i, layer in enumerate(model.encoder, 1):
        looks[f"encoder, layer {i}"] = Look(layer.self_attention)
    for i, layer in enumerate(model.decoder, 1):
        looks[f"decoder, layer {i}"] = Look(layer.self_attention)
        looks[f"cross, layer {i}"] = Look(layer.cross_attention)
    texts = [
        (
            torch.tensor([source.encode(source.tokenize(german))]),
            torch.tensor([[BOS_ID, *target.encode(target.tokenize(english))]]),
        )
        for german, english in UNSEEN
    ]
    measured["translator"] = share_and_size(
        looks,
        lambda *ids: model(*ids, return_attention=True),
        texts,
        {name for name in looks if name.startswith("decoder")},
    )
    for model_name in ("writer", "translator"):
        for name, head in measured[model_name].items():
            print(model_name, name, head, flush=True)
    return measured


def repeating(size: int, begun: bool, dice: torch.Generator, length: int = LENGTH) -> Tensor:
    """Texts with marks, ``(size, length + 1)``, with ``<bos>`` at the front or not."""
    last = EOS_ID + 1 + torch.randint(LETTERS, (size,), generator=dice)
    columns = [torch.full((size,), BOS_ID)] * begun + [last]
    marked = torch.zeros(size, dtype=torch.bool)
    for _ in range(length):
        follower = FOLLOWERS[last - EOS_ID - 1, torch.randint(4, (size,), generator=dice)]
        letter = torch.where(marked, last, follower)
        marks = (torch.rand(size, generator=dice) < MARKED) & ~marked
        columns.append(torch.where(marks, MARK, letter))
        last = torch.where(marks, last, letter)
        marked = marks
    return torch.stack(columns, dim=1)[:, : length + 1]


def learn_to_repeat(
    plan: Plan,
    seed: int,
    begun=True,
    *,
    steps=400,
    rate=0.04,
    begin=lambda model: model,
    after=lambda step: None,
) -> Decoder:
    """begin(model) comes before the first step, after(step) follows each."""
    torch.manual_seed(seed)
    model = begin(Decoder(plan))
    dice = torch.Generator().manual_seed(seed)
    batches = (repeating(32, begun, dice) for _ in range(steps))

    def loss(texts: Tensor) -> Tensor:
        return cross_entropy(model(texts[:, :-1]).flatten(0, 1), texts[:, 1:].flatten())

    def learning_rate(step: int) -> float:
        return rate * min(1, step / 50, 2 - 2 * step / steps)

    optimizer = torch.optim.Adam(model.parameters())
    for step, _ in enumerate(gradient_steps(loss, batches, optimizer, learning_rate), start=1):
        after(step)
    return model.eval()


@torch.no_grad()
def seen(model: Decoder, begun: bool = True) -> dict:
    """Where the only head of the lowest layer looks, when it is wanted and when it is not, and the
    loss, with the first token and with a first token that nobody may look at.
    """
    texts = repeating(300, begun, torch.Generator().manual_seed(99))
    ids, answers = texts[:, :-1], texts[:, 1:]
    late = torch.arange(LENGTH) > 3
    wanted = (ids == MARK) & late
    idle = (ids != MARK) & late
    one = Look(model.layers[0].attention)

    def loss() -> Tensor:
        return cross_entropy(model(ids).transpose(1, 2), answers, reduction="none")

    whole_loss = loss()
    w = one.weights.mean(1)  # (B, T, T)
    size = one.brought().mean(1)  # (B, T)
    before = torch.cat((w.new_zeros(len(w), 1), w.diagonal(-1, 1, 2)), dim=1)
    measured = {
        "letter before, at a mark": before[wanted],
        "first, at a mark": w[:, :, 0][wanted],
        "first, elsewhere": w[:, :, 0][idle],
        "itself, elsewhere": w.diagonal(0, 1, 2)[idle],
        "sink, at a mark": 1 - w.sum(-1)[wanted],
        "sink, elsewhere": 1 - w.sum(-1)[idle],
        "size of first": size[:, 0] / size[:, 1:].mean(),
        "loss at a mark": whole_loss[wanted],
        "loss elsewhere": whole_loss[idle],
    }
    with hidden(model, 0):
        hidden_loss = loss()
    measured["loss at a mark, first hidden"] = hidden_loss[wanted]
    measured["loss elsewhere, first hidden"] = hidden_loss[idle]
    return {name: round(numbers.mean().item(), 4) for name, numbers in measured.items()}


def repeats(seed: int) -> dict:
    """For each kind of text and of softmax, and each rate, what was seen."""
    measured = {}
    for name, kind in KINDS.items():
        plan = replace(SMALL, sink=kind.get("sink", False))
        model = learn_to_repeat(plan, seed, kind["begun"], rate=kind.get("rate", 0.04))
        measured[name] = seen(model, kind["begun"])
    return measured


def writers_batch(dice) -> tuple[Tensor, Tensor]:
    """Pairs as the writer reads them, and what comes after each token."""
    texts = pad([whole(*pair, VOCABULARY)[0] for pair in dice.sample(PAIRS, 64)])
    return texts[:, :-1], texts[:, 1:]


def language(seed: int) -> dict:
    """For a model without a sink and one with: the first token's share, and what hiding it does."""
    texts = [(torch.tensor([whole(*pair, VOCABULARY)[0][:-1]]),) for pair in UNSEEN]
    measured = {}
    for name, sink in (("without", False), ("with", True)):
        torch.manual_seed(seed)
        model = train(Decoder(replace(BASE, sink=sink)), writers_batch, seed, smoothing=0.0)
        looks = {f"layer {i}": Look(layer.attention) for i, layer in enumerate(model.layers, 1)}
        with torch.no_grad():
            heads = share_and_size(looks, model, texts, set(looks))
        measured[name] = {
            "first": [share for layer in heads.values() for share in layer["first"]],
            "size": [size for layer in heads.values() for size in layer["size"]],
            "none hidden": next_tokens(model, VOCABULARY, None),
            "first hidden": next_tokens(model, VOCABULARY, 0),
        }
    return measured


def main() -> None:
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    wanted = sys.argv[1:] or ["stored", "repeats", "language"]
    if "stored" in wanted:
        kept["stored"] = stored()
    for name, measure in {"repeats": repeats, "language": language}.items():
        if name in wanted:
            kept[name] = {}
            for seed in SEEDS[name]:
                one = measure(seed)
                print(name, "seed", seed, json.dumps(one), flush=True)
                gather(kept[name], one)
                KEPT.write_text(json.dumps(kept) + "\n")
    KEPT.write_text(json.dumps(kept) + "\n")
    note(KEPT, __file__, {task: [*seeds] for task, seeds in SEEDS.items()})


if __name__ == "__main__":
    main()
