"""What sessions found, read back for a report: plain data, whatever command made it."""
