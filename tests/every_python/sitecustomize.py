"""What every Python that the tests start does first: conftest.py puts this folder on its path.

torch and what the chapters draw with bring 300,000 objects that live as long as the process. To
search them for rubbish, often while they are imported and once more at the end, takes a third of
both.
"""

import atexit
import gc

gc.set_threshold(50_000)
atexit.register(gc.freeze)
