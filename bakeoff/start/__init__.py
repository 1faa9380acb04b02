"""Start: a receipt becomes a server that has answered, and nothing of it is left behind."""

from bakeoff.start.client import GRACE_S, Keeper, attach

__all__ = ["GRACE_S", "Keeper", "attach"]
