"""The package's first steps, in an environment that has nothing else: `.ci/versions` runs this with
the oldest and the newest of what it needs. A warning that speaks of the package's own lines is an
error, since a next version may make it one.
"""

import sys
import warnings
from importlib.metadata import version

warnings.filterwarnings("error", module="transformer_lite|attention_by_hand")

import matplotlib.pyplot as plt

import transformer_lite as tl
from attention_by_hand import plots, ready
from attention_by_hand.claims import claim
from attention_by_hand.exercises import check
from attention_by_hand.figures import AttentionExplorer
from attention_by_hand.studies.two_sentences import train_two_sentences

ready.check()
found = tl.load_translator().translate("ich mochte ein bier")
assert found.text == "i want a beer .", found.text
_, losses = train_two_sentences(epochs=50, progress=False)
assert losses[-1] < losses[0] / 10, losses
claim("the loss falls", losses[-1] < losses[0], losses[-1])
plots.attention_map(found.attention.cross[0][0, 0], found.decoder_tokens, found.source_tokens)
plt.gcf().canvas.draw()
assert "<" in AttentionExplorer(found)._repr_mimebundle_()[0]["text/html"]
check("9.2", 0.25)
names = "torch", "numpy", "matplotlib", "ipywidgets", "anywidget"
print(f"Python {sys.version.split()[0]},", ", ".join(f"{name} {version(name)}" for name in names))
