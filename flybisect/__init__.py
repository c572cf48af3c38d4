"""flybisect: minimal repros and first bad commits for FlyDSL compiler bugs."""

__version__ = "0.1.0"
