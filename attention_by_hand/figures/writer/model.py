"""The model that the figure comes with, as a file."""

from pathlib import Path

from transformer_lite.decoder_only import DecoderOnly
from transformer_lite.files import describing, filled, read_tensors, write_tensors
from transformer_lite.translator import check_format, check_size
from transformer_lite.vocabulary import Vocabulary

from ..engine.pack import SPECIAL_IDS, describe_alone

FORMAT = 1  # of the file; one more with every change that an older package could not read
SHIPPED = Path(__file__).parents[2] / "models" / "writer" / "model.safetensors"


def save_writer(model: DecoderOnly, vocabulary: Vocabulary, path: Path) -> None:
    """Write a model and its words into one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in describe_alone(model).items() if key not in SPECIAL_IDS}
    note = {"format": FORMAT, "config": config, "vocabulary": vocabulary.to_dict()}
    write_tensors(path, dict(model.named_parameters()), note)


def load_writer(path: Path = SHIPPED) -> tuple[DecoderOnly, Vocabulary]:
    """The model that comes with the figure, and its words, or others that `save_writer` wrote.

    Raises FileNotFoundError if there is no such file, and ValueError if it is damaged, of a newer
    format, or describes no such model.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path} is no file of `save_writer`")
    weights, note = read_tensors(path)
    check_format(path, note, FORMAT)
    with describing(path, "a writer"):
        vocabulary = Vocabulary.from_dict(note["vocabulary"])
        config = note["config"]
        check_size("writer's", vocabulary, config["vocab_size"])
        outline = {
            "embedding.weight": (config["vocab_size"], config["d_model"]),
            f"layers.{config['n_layers'] - 1}.feed_forward.0.bias": (config["d_ff"],),
        }
    return filled(path, lambda: DecoderOnly(**config), weights, outline), vocabulary
