"""What a script uses and this FlyDSL lacks, by its exception. Pure."""

from __future__ import annotations

import re

from flybisect.observation import ExceptionFacts
from flybisect.oracle.normalize import headline

_MESSAGES_OF_API = re.compile(
    r"module '(?:flydsl|mlir)[\w.]*' has no attribute"
    r"|cannot import name (?:(?!cannot import name ).)* from '(?:flydsl|mlir)"
    r"|No module named '(?:flydsl|mlir)"
)
_CALLS = re.compile(
    r"unexpected keyword argument|positional argument|required keyword-only argument|takes no arguments"
)
_WITHDRAWN = re.compile(
    r"\b(?:is|are) (?:no longer supported|not supported any more)\b|\b(?:was|has been) removed\b"
)
ABOUT_PLAIN_OBJECTS = re.compile(
    r"'(?:NoneType|str|int|float|bool|list|dict|tuple|set|Tensor|Namespace)' object has no attribute"
    r"|module '(?!flydsl|mlir)[\w.]{1,200}' has no attribute"
)
"""Messages of an `AttributeError` on the host that has nothing to do with FlyDSL."""
_FILE_AT_END = re.compile(r" \(\S+\.(?:py|so)\)$")
_API_ERRORS = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError"})


def missing_api(ended: ExceptionFacts) -> str | None:
    """The API, argument or attribute that this FlyDSL lacks. None if the exception has another cause."""
    named = ended.type in _API_ERRORS and _MESSAGES_OF_API.search(ended.message)
    unbound = ended.type == "TypeError" and "incompatible function arguments" in ended.message
    by_script = ended.innermost == "script" and (
        ended.type == "AttributeError" or (ended.type == "TypeError" and _CALLS.search(ended.message))
    )
    # FlyDSL binds a call's arguments by `inspect.Signature.bind`, which words its errors in its own way.
    unfitting = ended.type == "TypeError" and ended.innermost == "inspect"
    withdrawn = ended.innermost == "flydsl" and ended.during == "host" and _WITHDRAWN.search(ended.message)
    if not (named or unbound or by_script or unfitting or withdrawn):
        return None
    return _FILE_AT_END.sub("", headline(ended.message))
