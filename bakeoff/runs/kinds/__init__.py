"""The kinds of run: each module says how one is planned, measured, judged and reported.

The kind of a module that is not installed is unknown.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
