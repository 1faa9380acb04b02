"""The kinds of run: each module says how one plans, measures, is judged and reported.

A module that is not installed is a kind that is not known.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
