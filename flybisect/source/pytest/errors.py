"""Why a test cannot be made a script."""


class TestError(ValueError):
    """Why a test cannot be made a script, in one sentence."""

    __test__ = False


class NeedsRunning(TestError):
    """The text does not say it; pytest does, when it collects the file."""


class NeedsPytest(TestError):
    """The test takes something that only pytest or a plugin of it has."""
