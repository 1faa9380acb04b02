"""bakeoff: head-to-head HTTP server benchmarks that know when it is a tie."""

__version__ = "0.1.0"
