"""Pure functions over the model: tables in, frozen dataclasses or tables out."""
