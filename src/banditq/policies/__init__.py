"""Policies, one a file: BanditQ and the plain ones to compare it with."""
