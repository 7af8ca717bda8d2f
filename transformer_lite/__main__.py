"""``python -m transformer_lite``: see ``cli``."""

import sys

from . import doctor

if __name__ == "__main__":
    if sys.argv[1:2] == ["doctor"]:  # without what needs torch: that may be what is broken
        code = doctor.main(sys.argv[2:])
    else:
        from .cli import main

        code = main()
    sys.exit(code)
