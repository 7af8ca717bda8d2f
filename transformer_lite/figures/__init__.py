"""Interactive figures that are the same in a live notebook and on a page without a kernel.

Each figure is one Python class, which checks the data and describes the controls, and one
JavaScript module, which draws. `base` holds what they share.
"""

from .by_hand import ByHand
from .embedding_lookup import EmbeddingLookup
from .explorer import AttentionExplorer
from .head_lanes import HeadLanes
from .heads_in_memory import HeadsInMemory
from .live_translator import LiveTranslator
from .machine_map import MachineMap
from .machine_plan import where as where
from .masks import Masks
from .one_weight import OneWeight
from .path_lengths import PathLengths
from .positions import Positions
from .prediction import Prediction, Predictions
from .recall import Recall
from .softmax_scale import SoftmaxScale
from .training_playground import TrainingPlayground
from .training_replay import TrainingReplay

__all__ = [
    "AttentionExplorer",
    "ByHand",
    "EmbeddingLookup",
    "HeadLanes",
    "HeadsInMemory",
    "LiveTranslator",
    "MachineMap",
    "Masks",
    "OneWeight",
    "PathLengths",
    "Positions",
    "Prediction",
    "Predictions",
    "Recall",
    "SoftmaxScale",
    "TrainingPlayground",
    "TrainingReplay",
]
