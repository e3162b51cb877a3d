"""The error tree: what a user can fix, and nothing else.

    SitegenError            one line for the user, exit 1
    ├── SettingsError       sitegen.toml or run.toml is wrong
    └── OutputError         the output folder cannot be used

Bad input inside a run is never an exception: it is a `sitegen.model.Problem`.
"""


class SitegenError(Exception):
    """An error the user can fix: one line saying what, where, and what to do."""


class SettingsError(SitegenError):
    """A settings file cannot be used; the message names file, key and the nearest known key."""


class OutputError(SitegenError):
    """The output folder cannot be used without losing something that is not ours."""
