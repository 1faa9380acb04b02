"""From recordings of traffic to a workload that people can read and edit."""

from bakeoff.traffic.access_log import read_access_log
from bakeoff.traffic.curl import read_curl
from bakeoff.traffic.draft import MOST_REQUESTS, Choices, Draft, draft
from bakeoff.traffic.har import read_har
from bakeoff.traffic.openapi import read_openapi
from bakeoff.traffic.recording import Recording
from bakeoff.traffic.toml import toml_of
