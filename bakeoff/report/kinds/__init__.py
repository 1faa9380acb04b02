"""From a result to its document: a module for each kind of run, and for what compares runs."""
