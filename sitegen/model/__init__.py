"""The model: what a run is. Frozen dataclasses and declared tables, no behaviour beyond them."""
