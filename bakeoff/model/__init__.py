"""The contracts: what the stages read and leave. Imports no stage; every stage imports it alone."""
