"""What may be shown: every string from a run passes here once."""
