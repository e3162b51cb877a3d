"""Fingerprints of table rows, by which copies and parts of a table are recognised whatever their file is called."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.model.tables import TableSchema

Hashes = NDArray[np.uint64]

_PLACE = frozenset({"job", "row", "source", "segment", "superseded_last", "superseded_first"})
_MULTIPLIER = 0x9E3779B97F4A7C15
_ODD = np.uint64(_MULTIPLIER)


def row_hashes(table: pd.DataFrame, schema: TableSchema) -> Hashes:
    """One number per row over what it says: column names and values, missing ones and its place left out.

    Rows of a table with fewer columns hash alike as long as the columns it lacks are empty in the other.
    """
    total = np.zeros(len(table), dtype="uint64")
    kinds = {column.name: column.kind for column in schema.columns}
    for name, values in table.items():
        if name in _PLACE:
            continue
        salt = np.uint64((zlib.crc32(str(name).encode("utf-8", "replace")) + 1) * _MULTIPLIER % 2**64)
        if kinds.get(str(name)) == "str":
            codes, known = pd.factorize(values)
            hashed = np.array([zlib.crc32(str(text).encode("utf-8", "replace")) for text in known], dtype="uint64")
            bits = np.append(hashed, np.uint64(0))[codes]
            missing = codes < 0
        else:
            numbers = values.to_numpy(dtype="float64") + 0.0  # -0.0 is 0.0
            bits, missing = numbers.view("uint64"), np.isnan(numbers)
        if missing.all():
            continue
        total += np.where(missing, np.uint64(0), _mixed(bits, salt))
    return total


def _mixed(bits: Hashes, salt: np.uint64) -> Hashes:
    mixed = (bits ^ salt) * _ODD
    mixed ^= mixed >> np.uint64(29)
    mixed *= _ODD
    return np.asarray(mixed ^ (mixed >> np.uint64(32)), dtype="uint64")
