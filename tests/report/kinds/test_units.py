"""Where messages are counted, no report calls them requests."""

from bakeoff.model.websocket import WebSocketSection
from bakeoff.report.kinds import capacity, day
from bakeoff.report.render import markdown
from tests.report.sample import capacity as capacities
from tests.report.sample import day as days


def test_a_capacity_of_messages_has_no_requests() -> None:
    report = capacities.report()
    entries = [entry.model_copy(update={"requests": ()}) for entry in report.entries]
    of_messages = report.model_copy(update={"unit": "message", "entries": tuple(entries)})
    text = markdown(capacity.document(of_messages))
    assert "messages/s" in text
    assert "request" not in text


def test_a_day_of_messages_has_no_requests() -> None:
    result = days.day()
    workload = result.plan.race.workload.model_copy(
        update={"websocket": WebSocketSection(path="/", message="Hello")}
    )
    race = result.plan.race.model_copy(update={"workload": workload})
    plan = result.plan.model_copy(update={"race": race})
    text = markdown(day.document(result.model_copy(update={"plan": plan})))
    assert "messages/s" in text
    assert "request" not in text
