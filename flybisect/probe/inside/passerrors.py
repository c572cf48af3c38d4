"""An MLIR error of a pass manager as plain data, and raised again over another module with the same IR.

Places are kept as the numbers of operations of the module before the passes, since the same IR may come
from other lines. Where that does not say one place for sure, nothing is kept, or nothing raised.
"""

from __future__ import annotations

import importlib
from typing import Any

UNKNOWN = "loc(unknown)"


def described(error: Any, before: Any) -> dict[str, Any] | None:
    """`before`: the module as it was. None for an exception that could not be raised again the same."""
    if type(error) is not _mlir_error():
        return None
    places = locations(before)
    found: dict[str, Any] = {"message": error.message, "diagnostics": []}
    for info in error.error_diagnostics:
        one = _message(info, places)
        notes = [_message(note, places) for note in info.notes]
        if one is None or None in notes:
            return None
        found["diagnostics"].append({**one, "notes": notes})
    again = remade(found, before)
    return found if again is not None and str(again) == str(error) else None


def remade(kept: dict[str, Any], module: Any) -> Exception | None:
    """The error, at the places of `module`; None where they are not those of one place any more."""
    places = locations(module)
    infos = []
    text = kept["message"] + (":" if kept["diagnostics"] else "")
    for one in kept["diagnostics"]:
        info, *notes = (_info(each, places) for each in (one, *one["notes"]))
        found = [note for note in notes if note is not None]
        if info is None or len(found) < len(notes):
            return None
        info.notes = found
        infos.append(info)
        text += f"\nerror: {_shown(info)}" + "".join(f"\n note: {_shown(note)}" for note in found)
    error: Exception = _mlir_error()(text)
    # As the bindings keep them.
    vars(error).update(_message=kept["message"], _error_diagnostics=infos)
    return error


class Info:
    """Stands in for MLIR's `DiagnosticInfo`, which cannot be made by hand."""

    def __init__(self, severity: Any, location: Any, message: str) -> None:
        self.severity = severity
        self.location = location
        self.message = message
        self.notes: list[Info] = []

    def __str__(self) -> str:
        return self.message


def locations(module: Any) -> list[Any]:
    """Of the operations of a module, in the order of MLIR's walk."""
    ir = importlib.import_module("flydsl._mlir.ir")
    found: list[Any] = []

    def take(operation: Any) -> Any:
        found.append(operation.location)
        return ir.WalkResult.ADVANCE

    module.walk(take)
    return found


def _message(info: Any, places: list[Any]) -> dict[str, Any] | None:
    text = str(info.message)
    if "loc(" in text:
        return None
    if str(info.location) == UNKNOWN:
        return {"text": text, "operations": None}
    numbers = [number for number, place in enumerate(places) if place == info.location]
    return {"text": text, "operations": numbers} if numbers else None


def _info(kept: dict[str, Any], places: list[Any]) -> Info | None:
    ir = importlib.import_module("flydsl._mlir.ir")
    severity = ir.DiagnosticSeverity.ERROR
    numbers = kept["operations"]
    if numbers is None:
        return Info(severity, ir.Location.unknown(), kept["text"])
    if not numbers or numbers[-1] >= len(places):
        return None
    first = places[numbers[0]]
    if any(places[number] != first for number in numbers[1:]):
        return None
    return Info(severity, first, kept["text"])


def _shown(info: Info) -> str:
    place = str(info.location)
    return f"{place[len('loc(') : -1]}: {info.message}"


def _mlir_error() -> Any:
    return importlib.import_module("flydsl._mlir.ir").MLIRError
