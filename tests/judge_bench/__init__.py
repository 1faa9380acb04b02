"""The judge's own bench: how often a verdict errs, on simulated races and on real ones."""
