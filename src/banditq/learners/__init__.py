"""The black boxes: adversarial learners, one a file."""
