"""What made a file that the package or a page reads: `README.md` has the table.

What a training came to belongs to a processor. So a program that keeps such a record notes, in
`attention_by_hand/exhibits/made.json`, from which seeds, on which processor and with which torch it
was made.
"""

import json
import platform
import re
from pathlib import Path

import torch

from attention_by_hand import exhibits

MADE = exhibits.file_of("made")
UNKNOWN = "not noted"  # for what was made before anybody asked


def processor() -> str:
    """The name of this machine's processor, and the instructions that torch takes there."""
    known = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.+)", known.read_text()) if known.exists() else []
    return f"{(names or [platform.processor()])[0]}, {torch.backends.cpu.get_cpu_capability()}"


def note(result: Path, program: str, seeds: object) -> None:
    """Note how a record of the exhibits was made. ``program`` is the ``__file__`` of who made it,
    ``seeds`` what they are, as JSON takes them.
    """
    noted = json.loads(MADE.read_text(encoding="utf-8"))
    noted[result.stem] = {
        "program": f"dev/make/{Path(program).name}",
        "seeds": seeds,
        "processor": processor(),
        "torch": torch.__version__.partition("+")[0],
    }
    text = json.dumps(dict(sorted(noted.items())), indent=1)
    MADE.write_text(text + "\n", encoding="utf-8")
