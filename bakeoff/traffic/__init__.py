"""From recordings of traffic to a workload that people can read and edit."""

from bakeoff.traffic.access_log import read_access_log
from bakeoff.traffic.curl import read_curl
from bakeoff.traffic.draft import MOST_REQUESTS, Choices, Draft, draft
from bakeoff.traffic.har import read_har
from bakeoff.traffic.openapi import read_openapi
from bakeoff.traffic.recording import Recording
from bakeoff.traffic.toml import toml_of

__all__ = [
    "MOST_REQUESTS",
    "Choices",
    "Draft",
    "Recording",
    "draft",
    "read_access_log",
    "read_curl",
    "read_har",
    "read_openapi",
    "toml_of",
]
