"""The explorer's own pictures: running races, lines and claims over time, the matrix."""
