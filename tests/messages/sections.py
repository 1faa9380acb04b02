"""The page's sections, in its order."""

from tests.messages import (
    test_answers,
    test_capacity,
    test_ci,
    test_cluster,
    test_contenders,
    test_history,
    test_imports,
    test_machine,
    test_race,
    test_replay,
    test_requests,
    test_runs,
    test_servers,
    test_setup,
    test_urls,
    test_workloads,
)

SECTIONS = tuple(
    module.SECTION
    for module in (
        test_contenders,
        test_setup,
        test_race,
        test_requests,
        test_workloads,
        test_imports,
        test_urls,
        test_answers,
        test_servers,
        test_capacity,
        test_replay,
        test_ci,
        test_runs,
        test_history,
        test_cluster,
        test_machine,
    )
)
