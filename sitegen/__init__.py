"""Static, bilingual web sites from folders of RL training runs."""

__version__ = "0.1.0"
