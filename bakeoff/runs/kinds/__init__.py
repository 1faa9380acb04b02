"""The kinds of run: each says how it plans, measures, is judged and reported."""
