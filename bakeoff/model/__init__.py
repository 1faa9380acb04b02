"""The contracts: input and output of the stages. Imports no stage; every stage imports only
this."""
