"""Runs that go on: their standings as they narrow, judged aside, and the button that ends one."""
