"""One test of a pytest file as a plain script."""
