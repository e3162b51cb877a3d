"""Formulas of glossary entries as MathML, readable without scripts or fonts from elsewhere."""

from __future__ import annotations

from functools import cache


@cache
def to_mathml(latex: str, *, block: bool = True) -> str:
    """A `<math>` element for LaTeX math, its text escaped.

    Raises:
        ValueError: the formula is not well formed, or holds a command the converter does not know.
    """
    from latex2mathml import converter, exceptions

    failures = (
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        *(
            getattr(exceptions, name)
            for name in dir(exceptions)
            if name.endswith("Error") and isinstance(getattr(exceptions, name), type)
        ),
    )
    if not _balanced(latex):
        raise ValueError(f"formula with unequal braces: {latex}")
    try:
        math = converter.convert(latex, display="block" if block else "inline")
    except failures as error:
        raise ValueError(f"formula cannot be converted: {latex}") from error
    if "\\" in math:
        raise ValueError(f"formula with an unknown command: {latex}")
    return math


def _balanced(latex: str) -> bool:
    """True when every brace that is not escaped has its partner."""
    depth = 0
    plain = latex.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
    for char in plain:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0
