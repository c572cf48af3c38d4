"""Which release, which commit: bisections and tables over FlyDSLs."""
