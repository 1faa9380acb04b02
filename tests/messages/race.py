"""`bakeoff race`: its options, and what can't be had together."""

from tests.messages.case import Section, case, typed

H1 = """\
name = "h1"
title = "One that speaks HTTP/1 alone and doesn't pipeline"
language = "sh"
kind = "server"
pipelines = false

[run]
command = "sleep 9"

[serves]
hello = "/"
"""
ONCE = """\
[[once]]
path = "/login"

[[request]]
path = "/"
expect.status = 200
"""

SECTION = Section(
    "Race",
    (
        *typed("""
            race nginx -c 0
            race nginx -c 1,x
            race nginx -c 1,1
            race nginx -c ''
            race nginx --workers 0
            race nginx --pipeline 16 --close
            race nginx --streams 8
            race nginx --protocol h2 --pipeline 16
            race nginx --protocol h1,h2 --streams 8
            race nginx --protocol h2 --streams 8 --close
            race nginx --pipeline 2,4 --close
            race h1 --pipeline 4
            race ./h1 --pipeline 4
            race ./h1 --pipeline 4,8
            race nginx -d -3
            race nginx -d 0
            race nginx -d 1d
            race nginx --warm-up soon
            race nginx --boots x
            race nginx --boots 0
            race nginx --instances -1
            race nginx --seed -1
            race nginx --protocol h4
            race nginx --protocol h1,h1
            race nginx --protocol ''
            race nginx --path 20
            race nginx --path 2s
            race nginx --path 20ms,100%
            race nginx --path 20ms --path 0.02s
            race nginx --path 20ms --cluster auto
            race http://127.0.0.1:9/ --path 20ms
            race nginx --cpus 0
            race nginx --cpus server=0
            race nginx --cpus server=0,server=1
            race nginx --cpus cilent=0
            race nginx --cpus server=a,client=1
            race nginx --cpus server=1-0,client=1
            race nginx --cpus server=0,client=99
            race nginx --precision 0
            race nginx --precision 1x
            race nginx --precision 200%
            race nginx --budget 1m
            race nginx brick --budget 1m -d 1m
            race nginx brick --until decided --precision 1%
            race nginx brick --until done
            race nginx --until decided
            race nginx brick --until decided --solo
            race nginx brick gin --budget 1m
            race nginx brick --within 2% --precision 3%
            race nginx brick --within 2% --gate 'nginx >= 0.98 * brick'
            race nginx brick --precision 3% --gate 'nginx >= 0.98 * brick'
            race nginx brick --precision 3% --gate 'nginx >= brick'
            race nginx --rate 0
            race nginx --rate 100 --load 70%
            race nginx --load 300%
            race nginx --solo --instances 2
            race nginx --solo --precision 1%
            race nginx --solo --confirm
            race nginx --confirm
            why nginx
            race nginx --server-nodes 2
            race nginx --arrivals weekly
            race nginx go-nethttp --gate 'nginx >='
            race nginx go-nethttp --gate 'nginx >= 0 * go-nethttp'
            race nginx go-nethttp --gate 'nginx >= nginx'
            race nginx go-nethttp --gate 'nginx >= go-netthttp'
            race nginx --cant-tell maybe
            race nginx --json /nowhere/x.json
            race nginx --colour
            race nginx -d
            race nginx --http2 --protocol h1
            race nginx --close=3
            -q race nginx
            compare a b c
            explore --port x
            rase
        """),
        case("race nginx --close --workload ./once.toml", files={"once.toml": ONCE}),
        case(">>> bakeoff.plan.RaceOptions(conections=64)"),
        case(">>> bakeoff.race('nginx', duration=True)"),
        case(">>> bakeoff.race('nginx', connections=[])"),
        case(">>> bakeoff.race('nginx', protocol=2)"),
        case(">>> bakeoff.race('nginx', seed='one')"),
    ),
    files={"h1/contender.toml": H1},
)
