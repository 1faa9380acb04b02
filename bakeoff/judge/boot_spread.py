"""How much two processes of one program differ: the boot's own part of the uncertainty.

A race has 2 or 3 boots. Resampling so few gives intervals that miss far too often (with 2 boots
half of all replicates draw one boot twice), and a t interval on boot means is honest but useless
(t = 12.7 with 2 boots). So we say what is known beforehand and let the boots correct it: the sd τ
of ln ratio between boots is 0 to 1 % (measured: Go 0.1 to 0.5 %, Node up to 1.1 %). The prior is
half-t with 2 degrees of freedom and scale 0.4 %; Gelman, Bayesian Analysis 1(3), 2006, recommends
this family where groups are few. Its heavy tail lets boots that disagree by more widen the
interval as far as they ask.

How often the 95 % interval of two equal servers misses 1, in %, and its median half-width in %;
normal blocks, each boot's own standard error 0.17 % (300 blocks with sd 3 %), 100,000 races each:

    τ           0           0.1 %       0.2 %       0.3 %       0.5 %       1 %
    1 boot      0.0 ±1.62   0.0 ±1.62   0.0 ±1.62   0.0 ±1.62   0.2 ±1.62   11.0 ±1.62
    2 boots     0.0 ±0.60   0.0 ±0.61   0.1 ±0.64   0.8 ±0.69   4.6 ±0.83   14.6 ±1.25
    3 boots     0.0 ±0.36   0.2 ±0.37   1.1 ±0.42   2.9 ±0.50   6.9 ±0.68   11.8 ±1.12
    5 boots     0.6 ±0.21   1.3 ±0.23   3.1 ±0.27   4.9 ±0.35   6.6 ±0.51    8.8 ±0.90
    8 boots     1.4 ±0.15   2.4 ±0.16   4.5 ±0.20   5.4 ±0.26   6.0 ±0.39    7.3 ±0.71

A smaller scale is narrower and breaks the promise of 5 % at τ = 0.3 % (0.3 %: 5.9 % with 5 boots);
where programs differ by 1 % from boot to boot, more boots help and more blocks do not.
"""

import numpy as np

from bakeoff.judge.vectors import Floats

PRIOR_SCALE = 0.004
PRIOR_DEGREES = 2
_SD = np.concatenate([[0.0], np.geomspace(5e-5, 0.5, 200)])
_PRIOR = (1 + (_SD / PRIOR_SCALE) ** 2 / PRIOR_DEGREES) ** (-(PRIOR_DEGREES + 1) / 2)
_WIDTH = np.gradient(_SD)


def posterior(centres: Floats, squared_errors: Floats) -> Floats:
    """P(τ = each of the grid's values), given each boot's centre and its squared standard error.

    One boot tells nothing of τ: its posterior is the prior. The mean is integrated out under a
    flat prior (Gelman et al., Bayesian Data Analysis, 3rd ed., eq. 5.21).
    """
    variance = _SD[:, None] ** 2 + np.maximum(squared_errors, 1e-14)[None, :]
    weight = 1 / variance
    mean = (weight * centres).sum(axis=1) / weight.sum(axis=1)
    log_likelihood = (
        -0.5 * np.log(variance).sum(axis=1)
        - 0.5 * np.log(weight.sum(axis=1))
        - 0.5 * (weight * (centres[None, :] - mean[:, None]) ** 2).sum(axis=1)
    )
    density = np.exp(log_likelihood - log_likelihood.max()) * _PRIOR * _WIDTH
    probability: Floats = density / density.sum()
    return probability


def draw(probability: Floats, uniform: Floats) -> Floats:
    """One τ for each number in `uniform` (0 to 1), from a posterior on the grid.

    Half of a value's probability lies below it: counted as all, every τ would be 3 % too small.
    """
    drawn: Floats = np.interp(uniform, np.cumsum(probability) - probability / 2, _SD)
    return drawn
