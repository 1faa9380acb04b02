"""The keeper: the small process that owns the contenders and outlives bakeoff by a moment.

It runs as a package of its own, with the standard library alone, so that it starts fast and stays
small; hence the relative imports. `service` is its loop.
"""
