"""(contract) An oracle joined with the probes: candidate in, Verdict out."""
