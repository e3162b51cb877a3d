"""Console logs of training jobs: SkyRL, vLLM, SLURM, Ray and the other trainers' own ways of printing.

`dialect` says what a dialect is, `dialects` lists them, `reader` is the reader.
"""

from sitegen.readers.console.reader import READER

__all__ = ["READER"]
