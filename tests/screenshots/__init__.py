"""Pictures of every kind of page, to be looked at: `python -m tests.screenshots`."""
