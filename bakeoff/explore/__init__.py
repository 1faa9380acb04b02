"""The explorer: runs, contenders over time and the matrix as pages, served or as a static site."""
