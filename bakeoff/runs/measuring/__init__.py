"""Measuring: contenders started together, loaded in turn, and watched while they are."""
