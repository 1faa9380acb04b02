"""docs/MESSAGES.md: every message that a user can get, with the input that provokes it."""
