"""How often `bakeoff why` names a cause that was planted: `make why-bench`."""
