"""Stage 1, plan: from operands and options to a run that is decided before it starts."""

from bakeoff.plan import ladder
from bakeoff.plan.capacity import CapacityOptions, check_budget, parse_slo, plan_capacity
from bakeoff.plan.catalogue import CONTENDER_FILE, Catalogue
from bakeoff.plan.ci import (
    PROJECT_FILE,
    CheckedOut,
    CiOptions,
    NothingToCompare,
    plan_ci,
    target_branch,
)
from bakeoff.plan.contenders import ResolvedContender, resolve_contenders
from bakeoff.plan.day import DayOptions, next_window_ms, plan_day
from bakeoff.plan.entries import ready_within
from bakeoff.plan.environment import Environment
from bakeoff.plan.gates import race_gate, runs_gate
from bakeoff.plan.grid import plan_race
from bakeoff.plan.options import Flag, Options
from bakeoff.plan.outlook import BLOCK_ERROR, ENDING_S, START_S_MAX, out_of_reach
from bakeoff.plan.race import check_enough, confirming, explaining, without
from bakeoff.plan.race_options import RaceOptions, WhyOptions
from bakeoff.plan.replay import ROUNDS, ReplayOptions, adapt, plan_replay, run_size
from bakeoff.plan.schedule import (
    arrival_seed,
    block_order,
    cohort,
    day_order,
    draw_order,
    has_first_process,
    long_ms_min,
    longest_slice_ms,
    open_lengths,
    single_ms,
    slice_lengths,
    start_order,
    warm_up_slices,
)
