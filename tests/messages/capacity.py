"""`bakeoff capacity`, `day` and `draws`."""

from tests.messages.case import Section, cases, typed
from tests.messages.runs import lines, without
from tests.messages.worlds import ran

SEARCHED = ran("capacity", "a=sleep 1", "--slo", "p99=10ms", "-d", "30", "--seed", "1")

DRAWN = ran("draws", "a=sleep 1", "-d", "2", "--seed", "1")

SECTION = Section(
    "Capacity, day and draws",
    (
        *typed("""
            capacity nginx
            capacity --slo p99=1ms
            capacity ngnix --slo p99=1ms
            capacity nginx --slo fast
            capacity nginx --slo p99=fast
            capacity nginx --slo p99=10
            capacity nginx --slo p42x=1ms
            capacity nginx --slo gap-p99=1ms
            capacity nginx --slo p99.999=1ms
            capacity nginx --slo p99=2s
            capacity nginx --slo p99=1ms,p99=2ms
            capacity nginx --slo p99=1ms --slo p99=1ms
            capacity nginx --slo p99=1ms -d 1
            capacity nginx --slo p99=1ms -d 1 --boots 1
            capacity nginx --slo p99=1ms -c 1,64
            capacity nginx --slo p99=1ms --protocol h1,h2
            day
            day http://localhost/
            day nginx -d 5
            day nginx go-nethttp -d 5
            day nginx --storm 0
            draws
            draws nginx --all
            draws nginx --processes 1
            draws nginx --sets 1
            draws nginx --workload forward-nowhere
            draws ./x --workload json
            draws --all --workload none-serves.toml
        """),
        *cases(
            "report runs/latest",
            (
                "runs/latest is a search for a capacity in which nothing was measured",
                SEARCHED,
                lines(lambda log: log[:1]),
                without("capacity.json"),
            ),
            (
                "runs/latest is a run of draws in which nothing was measured",
                DRAWN,
                lines(lambda log: log[:1]),
                without("draws.json"),
            ),
        ),
    ),
    files={"x/contender.toml": 'name = "x"\n', "none-serves.toml": 'name = "n"\n'},
)
