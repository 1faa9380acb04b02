"""How hypothesis goes about it while the judge is mutated: a failure is enough, however large."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutants",
    parent=settings.get_profile("ci"),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=tuple(HealthCheck),
    print_blob=False,
)
