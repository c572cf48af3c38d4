"""`python -m flybisect`."""

from flybisect.cli import main

main()
