"""``python -m transformer_lite``: see ``command_line``."""

import sys

from .command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
