"""Bandits that guarantee rewards."""
