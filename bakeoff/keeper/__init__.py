"""The keeper: the small process that owns the contenders and ends them when bakeoff ends.

It runs as a package of its own, on the standard library only, so that it starts fast and stays
small; hence the relative imports. `service` is its loop. `ledger` records the processes that it and
others started, and `sweep` ends those that a kill left.
"""
