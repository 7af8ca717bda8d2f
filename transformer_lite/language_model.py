"""A language model is a trained decoder alone with its vocabulary: the beginning of a text in, the
text as it goes on out.
"""

import os
from pathlib import Path

import torch
from torch import Tensor

from .checks import check_whole, quote
from .decoder_only import DecoderOnly, write
from .files import (
    FILE,
    check_format,
    check_shapes,
    filled,
    read_tensors,
    shapes,
    write_tensors,
    wrong_description,
)
from .variants import Decoder, Plan, weights
from .vocabulary import BOS_ID, EOS_ID, Vocabulary, check_vocabulary_size

LARGEST_SEED = 2**64 - 1  # that torch takes
FORMAT = 1  # of its file; one more with every change that an older package could not read
LONGEST = 1_000_000  # tokens of a text that a plan in a file may name: some keep a row for each


class LanguageModel:
    """Goes on with a text. Its texts are paragraphs, from ``<bos>`` to ``<eos>``.

    model: a ``DecoderOnly``, or the ``Decoder`` of a plan.

    Raises ValueError if the vocabulary does not have the size that the model was made for.
    """

    def __init__(self, model: DecoderOnly | Decoder, vocabulary: Vocabulary):
        check_vocabulary_size("model's", vocabulary, model.embedding.num_embeddings)
        self.model = model
        self.vocabulary = vocabulary

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def read(self, beginning: str) -> list[int]:
        """The ids of a beginning, as the model reads it.

        Raises ValueError for a word that the vocabulary refuses, and for a beginning that leaves no
        room to go on.
        """
        ids = [BOS_ID, *self.vocabulary.encode(self.vocabulary.tokenize(beginning))]
        longest = self.model.max_length
        if len(ids) >= longest:
            raise ValueError(
                f"the beginning {quote(beginning)} has {len(ids) - 1} tokens, this model takes at "
                f"most {longest - 2}"
            )
        return ids

    def write(
        self,
        beginning: str = "",
        *,
        length: int = 100,
        temperature: float = 0.8,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int | None = None,
    ) -> str:
        """The beginning and how it goes on, until the paragraph ends or has ``length`` tokens more.

        Where the text gets longer than the model reads, its first half is forgotten, again and
        again. temperature, top_k, top_p: see ``decoder_only.probabilities``; at temperature 0 the
        likeliest token is taken. seed: where chance begins; another one each time unless given.

        Raises ValueError as ``read`` and ``decoder_only.write`` do, for a ``length`` below 1, and
        for a ``seed`` that is not a whole number from 0 to 2⁶⁴ - 1.
        """
        check_whole("length", length, 1)
        if seed is not None:
            check_whole("seed", seed, 0, LARGEST_SEED)
        dice = torch.Generator(self.device)
        if seed is None:
            dice.seed()
        else:
            dice.manual_seed(seed)
        ids = self.read(beginning)
        end = len(ids) + length
        longest = self.model.max_length
        while len(ids) < end and ids[-1] != EOS_ID:
            known = ids if len(ids) < longest else ids[-(longest // 2) :]
            grown = write(
                self.model,  # pyright: ignore[reportArgumentType], a Decoder will do
                torch.tensor([known], device=self.device),
                min(longest, len(known) + end - len(ids)),
                temperature=temperature,
                top_k=top_k,
                top_p=top_p,
                generator=dice,
            )
            ids += grown[0, len(known) :].tolist()
        return self.vocabulary.detokenize(self.vocabulary.decode(ids))

    def save(self, folder: str | os.PathLike) -> None:
        """Write ``model.safetensors`` into a folder, whole or not at all: the weights, their sizes
        or their plan, and the vocabulary.

        Raises ValueError for what ``load`` would refuse: weights that are not finite, and weights
        that are not those of a ``DecoderOnly`` of these sizes with the paper's parts, or of the
        ``Decoder`` of this plan.
        """
        folder = Path(folder)
        if isinstance(self.model, Decoder):
            note = {"format": FORMAT, "plan": self.model.plan.to_dict()}
        else:
            note = {"format": FORMAT, "config": self.model.sizes}
        tensors: dict[str, Tensor] = dict(self.model.named_parameters())
        with torch.device("meta"):
            expected: dict[str, Tensor] = dict(described(note).named_parameters())
        check_shapes("what is to be saved", shapes(tensors), shapes(expected))
        note["vocabulary"] = self.vocabulary.to_dict()
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / FILE, tensors, note)

    @classmethod
    def load(cls, folder: str | os.PathLike) -> "LanguageModel":
        """Read what ``save`` wrote, in torch's default dtype. Nothing in the file is executed.

        Raises FileNotFoundError if there is no such file, and ValueError if it is damaged, of a
        newer format, or a translator's.
        """
        path = Path(folder) / FILE
        if not path.is_file():
            raise FileNotFoundError(
                f"{folder} holds no {FILE}: is it the folder of a finished training?"
            )
        tensors, note = read_tensors(path)
        check_format(path, note, FORMAT)
        if "source" in note:
            raise ValueError(
                f"{path} holds a translator, which does not go on with a text: load_translator "
                "loads it"
            )
        with wrong_description(path, "a language model"):
            vocabulary = Vocabulary.from_dict(note["vocabulary"])
            sizes = note["plan"] if "plan" in note else note["config"]
            check_vocabulary_size("model's", vocabulary, sizes["vocab_size"])
            outline: dict[str, tuple[int, ...]] = {
                "embedding.weight": (sizes["vocab_size"], sizes["d_model"])
            }
            if "plan" in note:
                check_bill(Plan.from_dict(sizes), tensors)
            else:
                last = f"layers.{sizes['n_layers'] - 1}.feed_forward.0.bias"
                outline[last] = (sizes["d_ff"],)
        return cls(filled(path, lambda: described(note), tensors, outline), vocabulary)


def described(note: dict) -> DecoderOnly | Decoder:
    """A new model of the sizes or the plan in the note of a file."""
    if "plan" in note:
        return Decoder(Plan.from_dict(note["plan"]))
    return DecoderOnly(**note["config"])


def check_bill(plan: Plan, tensors: dict[str, Tensor]) -> None:
    """Raise a ValueError unless a model of this plan has as many weights as there are in a file,
    before it takes memory.
    """
    check_whole("max_length", plan.max_length, 1, LONGEST)
    check_whole("n_layers", plan.n_layers, 1, len(tensors))
    billed = sum(weights(plan).values())
    held = sum(tensor.numel() for tensor in tensors.values())
    if billed != held:
        raise ValueError(f"such a model has {billed:,} weights, and it holds {held:,}")


def load_language_model(folder: str | os.PathLike) -> LanguageModel:
    """The language model that a training has put into a folder, or that you have saved."""
    return LanguageModel.load(folder)
