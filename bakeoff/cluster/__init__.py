"""Cluster: runs whose servers and generator are on other machines, reached by Ray.

Ray finds the machines and starts one process on each; measurements are made there, by the same
stages as on one machine. Nothing here is imported unless a cluster is requested.
"""
