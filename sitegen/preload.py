"""What workers are forked with: everything that work on runs needs, imported once.

Imports make no garbage, so none is looked for meanwhile, which saves a sixth of the time; what they made is left alone
by later searches.
"""

import gc
import sys
from importlib import import_module

EVERYTHING = "sitegen.run_work"
"""Imports all that is heavy."""


def import_everything() -> None:
    """Imports it, unless that was done."""
    if EVERYTHING in sys.modules:
        return
    gc.disable()
    try:
        import_module(EVERYTHING)
    finally:
        gc.freeze()
        gc.enable()


import_everything()
