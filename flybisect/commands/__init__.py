"""The commands, one file each: what it takes, which room is called, what is printed. No logic."""
