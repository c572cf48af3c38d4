"""The oracles that ship: Python where something is measured, YAML where a text is matched."""
