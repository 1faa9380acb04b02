"""The composite action and the examples of docs/CI.md, run as a CI system runs them."""
