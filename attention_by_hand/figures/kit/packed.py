"""Numbers on their way to the page, as bytes, and read back as the page reads them: `packed.js`.

A share, from 0 to 1, takes one byte. Numbers of any size take one or two each, as whole parts of
the largest of them, or two as whole numbers and 256ths, where they must be exact by themselves.
"""

import numpy as np

SMALL = "<i1"
FINE = "<i2"


def pack_shares(shares: np.ndarray) -> bytes:
    """Numbers from 0 to 1, in 255ths."""
    return np.rint(255 * shares).astype("<u1").tobytes()


def read_shares(data: bytes, size: int = -1, start: int = 0) -> np.ndarray:
    return np.frombuffer(data, "<u1", size, start) / 255


def pack_scaled(numbers: np.ndarray, most: float, kind: str = FINE) -> bytes:
    """Numbers from -most to most; `kind` is SMALL or FINE."""
    return np.rint(np.iinfo(kind).max * numbers / most).astype(kind).tobytes()


def read_scaled(data: bytes, most: float, kind: str = FINE) -> np.ndarray:
    return np.frombuffer(data, kind) / np.iinfo(kind).max * most


def pack_fixed(numbers: np.ndarray) -> bytes:
    """Numbers between ±127, to 1/256: all whole parts, rounded down, then all 256ths, because like
    bytes compress better side by side.
    """
    whole, rest = np.divmod(np.rint(256 * numbers).astype(np.int64), 256)
    return whole.astype("<i1").tobytes() + rest.astype("<u1").tobytes()


def read_fixed(data: bytes) -> np.ndarray:
    whole, rest = np.frombuffer(data, "<u1").reshape(2, -1)
    return whole.view("<i1") + rest / 256
