"""What a server's answers are held to where nobody said which answer is right."""

from pydantic import PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.workload import ExpectSection


class Held(Contract):
    """What stayed in so many `answers` to one request, as an expectation.

    `varied` names what did not: places of JSON as `items[].id`, else `the body`. Where nothing
    did, the whole body is held, which is not repeated here.
    """

    answers: PositiveInt
    expect: ExpectSection
    varied: tuple[str, ...] = ()
