"""`flybisect run`: from a failing script to a report, by steps that do without one another."""
