"""The built-in oracles: Python if something is measured, YAML if a text is matched."""
