"""Reward models, one a file: what the arms pay, as a pure function of (seed, run, round, arm)."""
