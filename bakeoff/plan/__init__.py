"""Stage 1, plan: from words and options to a race that is decided before anything starts."""

from bakeoff.plan import ladder
from bakeoff.plan.capacity import check_budget, decide_capacity, parse_slo
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.confirm import CONFIRM_SHARE, confirming
from bakeoff.plan.cores import available_cores, default_cores, parse_cores
from bakeoff.plan.decide import Options, decide, without
from bakeoff.plan.gates import runs_gate
from bakeoff.plan.grid import Axes, decide_grid, parse_connection, parse_counts
from bakeoff.plan.order import arrival_seed, block_order, start_order
from bakeoff.plan.replay import ROUNDS, Adapted, adapt, run_size
from bakeoff.plan.slices import open_lengths, slice_lengths, warm_up_slices
from bakeoff.plan.words import Named, attached, name_contenders

__all__ = [
    "CONFIRM_SHARE",
    "ROUNDS",
    "Adapted",
    "Axes",
    "Catalogue",
    "Named",
    "Options",
    "adapt",
    "arrival_seed",
    "attached",
    "available_cores",
    "block_order",
    "check_budget",
    "confirming",
    "decide",
    "decide_capacity",
    "decide_grid",
    "default_cores",
    "ladder",
    "name_contenders",
    "open_lengths",
    "parse_connection",
    "parse_cores",
    "parse_counts",
    "parse_slo",
    "run_size",
    "runs_gate",
    "slice_lengths",
    "start_order",
    "warm_up_slices",
    "without",
]
