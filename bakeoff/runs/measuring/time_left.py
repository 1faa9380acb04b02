"""How long a boot goes on for, once its warm-up has shown how fast its contenders are."""

from collections.abc import Sequence

from bakeoff.model.cut import DrawRule, Warmup
from bakeoff.model.plan import Plan
from bakeoff.runs.measuring.draw_rule import CONNECT_MS, START_MS, Facts, slices_again


def time_left_s(
    plan: Plan,
    budget_s: float,
    warmup: Warmup,
    warm_up_s: float,
    rule: DrawRule,
    facts: Sequence[Facts],
) -> float:
    """The draws of a boot that measures for `budget_s`, with what they cost, until its end.

    Further processes are warmed up as slowly as the first ones, which took `warm_up_s`: with a
    compiler, a server needs as long again after each slice until it is at rest.
    """
    slice_ms = 1000 * warm_up_s / max(1, sum(map(len, warmup.requests_per_s.values())))
    lengths = [warmup.lengths[each.entry.name] for each in facts]
    window_ms = sum(each.short_ms for each in lengths)
    # A drain lasts as long as an answer: what is in flight is waited for.
    around_ms = sum(each.ramp_ms for each in lengths) + sum(
        warmup.mean_latency_us[each.entry.name] / 1000 for each in facts
    )
    draw_ms, again_ms = CONNECT_MS, 0.0
    for each in facts:
        redrawn = rule.redrawn[each.entry.name]
        draw_ms += each.before_draw_ms(redrawn)
        ready_ms = START_MS + (each.time_to_ready_ms or 0.0)
        slices = slices_again(warmup, each.entry.name)
        again_ms += (redrawn.instances - 1) * (ready_ms + slices * slice_ms)
    draws = max(1, round(budget_s / rule.draw_s))
    around = around_ms / window_ms * (1 - plan.long_share if plan.mode == "closed" else 1)
    return budget_s * (1 + around) + (draws * draw_ms + again_ms) / 1000
