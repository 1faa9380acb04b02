"""Running runs: their standings, judged in another process, and the button that ends one."""
