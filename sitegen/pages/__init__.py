"""Page kinds: a frozen view model and its builder each. No statistics here."""

from sitegen.pages.site import site_files

__all__ = ["site_files"]
