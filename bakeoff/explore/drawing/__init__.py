"""The explorer's own pictures: what goes on, what came of it over time, each against each."""
