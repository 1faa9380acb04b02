"""Write docs/MESSAGES.md anew: python -m tests.messages."""

from tests.messages.page import write

write()
