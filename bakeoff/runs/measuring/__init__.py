"""Measuring: contenders started together, loaded in turn, and observed meanwhile."""
