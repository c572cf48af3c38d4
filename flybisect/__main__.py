"""`python -m flybisect`."""

from flybisect.cli.main import main

main()
