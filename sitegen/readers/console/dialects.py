"""The dialects of console logs, written out: to add one, add its module and a line here."""

from __future__ import annotations

from sitegen.readers.console import (
    areal,
    digest,
    lifecycle,
    nemo_rl,
    openrlhf,
    prime_rl,
    skyrl,
    slime,
    trl,
    verl,
    vllm,
    xtuner,
)
from sitegen.readers.console.dialect import Dialect

DIALECTS: tuple[Dialect, ...] = (
    skyrl.DIALECT,
    verl.DIALECT,
    xtuner.DIALECT,
    trl.DIALECT,
    prime_rl.DIALECT,
    openrlhf.DIALECT,
    slime.DIALECT,
    areal.DIALECT,
    nemo_rl.DIALECT,
    vllm.DIALECT,
    lifecycle.DIALECT,
    digest.DIALECT,
)
"""All dialects, in order of preference where two found equally many records."""
