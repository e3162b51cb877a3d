"""The one border that every string of a run passes before it reaches a page or a data file."""

from sitegen.privacy.border import masked, masked_value
from sitegen.privacy.text import MASK, is_secret_key, mask_text

__all__ = ["MASK", "is_secret_key", "mask_text", "masked", "masked_value"]
