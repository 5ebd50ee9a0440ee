"""Compiled primitives that two rooms share."""
