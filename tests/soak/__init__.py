"""Races of well- and ill-behaved servers at random, each with a verdict or a reason at its end."""
