"""The model that the figure comes with, as a file."""

from pathlib import Path

from ...decoder_only import DecoderOnly
from ...files import read_tensors, write_tensors
from ...vocabulary import Vocabulary
from ..engine.pack import SPECIAL_IDS, describe_alone

SHIPPED = Path(__file__).parents[2] / "models" / "writer" / "model.safetensors"


def save_writer(model: DecoderOnly, vocabulary: Vocabulary, path: Path) -> None:
    """Write a model and its words into one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in describe_alone(model).items() if key not in SPECIAL_IDS}
    note = {"config": config, "vocabulary": vocabulary.to_dict()}
    write_tensors(path, dict(model.named_parameters()), note)


def load_writer(path: Path = SHIPPED) -> tuple[DecoderOnly, Vocabulary]:
    """The model that comes with the figure, and its words."""
    weights, note = read_tensors(path)
    model = DecoderOnly(**note["config"])
    model.load_state_dict(weights)
    return model.eval(), Vocabulary.from_dict(note["vocabulary"])
