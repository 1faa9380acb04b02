"""The bench of many machines: does a cluster say what one machine says, and what does it add?"""
