"""The board: every contender in every cell, with ties; planned, raced and shown."""
