"""``python -m transformer_lite``: see ``cli``."""

import sys

from . import doctor
from .console import exit_code


def command() -> int:
    from .cli import main  # which torch is needed for

    return main()


if __name__ == "__main__":
    if sys.argv[1:2] == ["doctor"]:  # without what needs torch: that may be what is broken
        code = doctor.main(sys.argv[2:])
    else:
        code = exit_code(command)
    sys.exit(code)
