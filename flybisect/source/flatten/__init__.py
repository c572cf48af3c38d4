"""One self-contained script out of a script and the local modules that it imports."""
