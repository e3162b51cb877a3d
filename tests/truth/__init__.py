"""Runs whose truth is known: a story is told first, then written as a trainer would write it, and read back.

`story` says what a run is made of, `draw` makes one from a seed, `folder` writes it. `lineage_truth`, `step_truth`,
`time_truth`, `trial_truth` and `engine_truth` say in plain Python what is true of a story; they import nothing of
sitegen, so that no mistake is on both sides. `test_truth` holds the analyses of what was read against them.
"""
