"""Interactive figures that are the same in a live notebook and on a page without a kernel.

Each figure has a folder: its Python class, which checks the data and describes the controls, its
JavaScript module, which draws, and its style. `kit` is what all of them are made of, and begins
with how to write one. `engine` is the Transformer once more, in the reader's browser.
"""

from .answer import Answer
from .attention_explorer import AttentionExplorer
from .break_it import BreakIt
from .by_hand import ByHand
from .embedding_lookup import EmbeddingLookup
from .head_lanes import HeadLanes
from .heads_in_memory import HeadsInMemory
from .induction_heads import InductionHeads
from .judge import Judge
from .live_translator import LiveTranslator
from .machine_map import MachineMap
from .machine_map.plan import where
from .many_networks import ManyNetworks
from .masks import Masks
from .model_bill import ModelBill
from .one_slope import OneSlope
from .one_weight import OneWeight
from .path_lengths import PathLengths
from .pencil import Pencil
from .positions import Positions
from .predicted import Predictions
from .prediction import Prediction
from .question import Question
from .recall import Recall
from .softmax_scale import SoftmaxScale
from .threads import Threads
from .training_playground import TrainingPlayground
from .training_replay import TrainingReplay
from .writer import Writer

# Each class that is imported here is a figure.
__all__ = sorted(name for name, found in vars().items() if isinstance(found, type))
