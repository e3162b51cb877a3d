"""A run's read results become one `Run`: one table per kind, jobs stitched, provenance kept."""
