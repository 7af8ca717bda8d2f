"""A language model is a trained decoder alone with its vocabulary: the beginning of a text in, the
text as it goes on out.
"""

import os
from pathlib import Path

import torch
from torch import Tensor

from .checks import check_whole, quote
from .decoder_only import DecoderOnly, write
from .files import check_shapes, describing, filled, read_tensors, shapes, write_tensors
from .translator import FILE, check_format, check_size
from .vocabulary import BOS_ID, EOS_ID, Vocabulary

LARGEST_SEED = 2**64 - 1  # that torch takes
FORMAT = 1  # of its file; one more with every change that an older package could not read


class LanguageModel:
    """Goes on with a text. Its texts are paragraphs, from ``<bos>`` to ``<eos>``.

    Raises ValueError if the vocabulary does not have the size that the model was made for.
    """

    def __init__(self, model: DecoderOnly, vocabulary: Vocabulary):
        check_size("model's", vocabulary, model.embedding.num_embeddings)
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
                self.model,
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
        and the vocabulary.

        Raises ValueError for what ``load`` would refuse: weights that are not finite, and weights
        that are not those of a ``DecoderOnly`` of these sizes with the paper's parts.
        """
        folder = Path(folder)
        sizes = self.model.sizes
        weights: dict[str, Tensor] = dict(self.model.named_parameters())
        with torch.device("meta"):
            expected: dict[str, Tensor] = dict(DecoderOnly(**sizes).named_parameters())
        check_shapes("what is to be saved", shapes(weights), shapes(expected))
        note = {"format": FORMAT, "config": sizes, "vocabulary": self.vocabulary.to_dict()}
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / FILE, weights, note)

    @classmethod
    def load(cls, folder: str | os.PathLike) -> "LanguageModel":
        """Read what ``save`` wrote, in torch's default dtype. Nothing in the file is executed.

        Raises FileNotFoundError if there is no such file, and ValueError if it is damaged, of a
        newer format, or a translator's.
        """
        path = Path(folder) / FILE
        if not path.is_file():
            raise FileNotFoundError(
                f"{folder} holds no {FILE}: is it the folder of a finished `train --text`?"
            )
        weights, note = read_tensors(path)
        check_format(path, note, FORMAT)
        if "source" in note:
            raise ValueError(
                f"{path} holds a translator, which does not go on with a text: use `translate`"
            )
        with describing(path, "a language model"):
            vocabulary = Vocabulary.from_dict(note["vocabulary"])
            sizes = note["config"]
            check_size("model's", vocabulary, sizes["vocab_size"])
            outline = {
                "embedding.weight": (sizes["vocab_size"], sizes["d_model"]),
                f"layers.{sizes['n_layers'] - 1}.feed_forward.0.bias": (sizes["d_ff"],),
            }
        return cls(filled(path, lambda: DecoderOnly(**sizes), weights, outline), vocabulary)


def load_language_model(folder: str | os.PathLike) -> LanguageModel:
    """The language model that ``train --text`` has put into a folder."""
    return LanguageModel.load(folder)
