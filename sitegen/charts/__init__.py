"""Chart forms and what a run attaches to them; the only Altair import."""
