"""Page kinds: a frozen view model and its builder each. No statistics here."""
