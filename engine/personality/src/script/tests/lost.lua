-- A host that no resolver knows.
wrk.lookup("bad host", 80)
