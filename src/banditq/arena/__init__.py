"""The arena: policies × instances × runs on the same rewards, and what may be concluded from it."""
