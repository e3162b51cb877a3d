"""Page kinds: a frozen view model and its builder each. No statistics here."""

from sitegen.pages.run_files import run_files
from sitegen.pages.site import site_files

__all__ = ["run_files", "site_files"]
