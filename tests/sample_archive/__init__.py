"""The script that makes the synthetic runs of the sample archive `runs/`."""
