"""The sample's plan, machine and receipts."""

from bakeoff.model.contender import Contender
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Entry, Plan, Skipped
from bakeoff.model.receipt import Receipt
from bakeoff.model.workload import ExpectSection, RequestSection, Workload
from tests.report.sample.runners import BOOTS, RUNNERS, TWIN, Runner


def machine() -> Machine:
    return Machine(
        taken_at="2026-11-21T20:43:16Z",
        kernel="Linux 6.1.0-28-amd64",
        distribution="Debian GNU/Linux 12 (bookworm)",
        cpu_model="Intel(R) Xeon(R) Processor @ 2.60GHz",
        cpus=2,
        threads_per_core=None,
        memory_mib=7_963,
        virtualisation="kvm",
        governor=None,
        turbo=None,
        mitigations={"spectre_v2": "Mitigation: Enhanced IBRS", "meltdown": "Not affected"},
        clock_source="tsc",
        cgroup="v2",
        cpu_quota=None,
        somaxconn=4096,
        port_range=(32768, 60999),
        open_files_limit=1_048_576,
        tcp_tw_reuse=2,
        load_average=0.31,
        io_uring="enabled",
        python="3.11.2",
        bakeoff="0.1.0",
        engine="volley 0.1.0",
    )


def workload() -> Workload:
    return Workload(
        name="hello",
        title="Hello, World! in plain text",
        request=RequestSection(headers={"Accept": "*/*"}),
        expect=ExpectSection(body="Hello, World!", headers={"content-type": "text/plain"}),
    )


def plan() -> Plan:
    return Plan(
        run="20261121T204316Z-hello",
        command_line=("bakeoff", "race", "nginx", "libuv-http-parser", "go-nethttp", "--seed", "7"),
        entries=tuple(_entry_of_plan(runner) for runner in RUNNERS),
        skipped=(skipped(),),
        workload=workload(),
        connection="keep-alive",
        connections=64,
        duration_s=60,
        boots=BOOTS,
        workers=1,
        cores=Cores(server=(0,), client=(1,)),
        reference="nginx",
        solo=False,
        seed=7,
    )


def skipped() -> Skipped:
    return Skipped(name="erlang-cowboy", reason="needs erl: apt-get install erlang-base")


def _entry_of_plan(runner: Runner) -> Entry:
    contender = Contender.model_validate(
        {
            "name": runner.title.lower().replace(" ", "-").replace("/", "-").replace("+", "and"),
            "title": runner.title,
            "language": "C",
            "kind": "server",
            "run": {"command": "{out}/server --port {port}"},
            "serves": {"hello": "/"},
        }
    )
    return Entry(
        name=runner.name,
        title=runner.title,
        origin="catalogue",
        contender=contender,
        folder="contenders/" + contender.name,
        path="/",
        twin_of="nginx" if runner is TWIN else None,
    )


def receipts() -> dict[str, Receipt]:
    return {
        runner.name: Receipt(
            name=runner.name,
            version=f"{runner.title} 1.22.1",
            tools={"cc": "gcc (Debian 12.2.0-14) 12.2.0"},
            source_sha256="5f" * 32,
            commands=(("cc", "-O2", "-o", "server", "server.c"),),
            log="",
            built_s=1.9,
        )
        for runner in RUNNERS
    }
