"""Stage 1, plan: from words and options to a race that is decided before anything starts."""

from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.cores import available_cores, default_cores, parse_cores
from bakeoff.plan.decide import Options, decide, without
from bakeoff.plan.grid import Axes, decide_grid, parse_connection, parse_counts
from bakeoff.plan.order import arrival_seed, block_order, start_order
from bakeoff.plan.replay import ROUNDS, Adapted, adapt, run_size
from bakeoff.plan.slices import slice_lengths
from bakeoff.plan.words import Named, name_contenders

__all__ = [
    "ROUNDS",
    "Adapted",
    "Axes",
    "Catalogue",
    "Named",
    "Options",
    "adapt",
    "arrival_seed",
    "available_cores",
    "block_order",
    "decide",
    "decide_grid",
    "default_cores",
    "name_contenders",
    "parse_connection",
    "parse_cores",
    "parse_counts",
    "run_size",
    "slice_lengths",
    "start_order",
    "without",
]
