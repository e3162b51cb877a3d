"""The dialects of console logs, written out: to add one, add its module and a line here."""

from __future__ import annotations

from sitegen.readers.console import digest, lifecycle, skyrl, vllm
from sitegen.readers.console.dialect import Dialect

DIALECTS: tuple[Dialect, ...] = (
    skyrl.DIALECT,
    vllm.DIALECT,
    lifecycle.DIALECT,
    digest.DIALECT,
)
"""All dialects, in order of preference where two found equally many records."""
