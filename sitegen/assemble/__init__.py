"""From what the readers found in a run's files to one `Run`: sources chosen, jobs stitched, provenance kept."""

from sitegen.assemble.run import assemble

__all__ = ["assemble"]
