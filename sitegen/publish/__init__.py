"""What leaves the archive: machine-readable files and their schemas."""
