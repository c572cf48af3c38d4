"""The templates of reports."""

from __future__ import annotations

import functools

import jinja2


def template(name: str) -> jinja2.Template:
    """Of `templates/`. HTML escapes the values; a missing value is an error."""
    return _environment().get_template(name)


@functools.lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("flybisect.report"),
        autoescape=jinja2.select_autoescape(enabled_extensions=("html.j2",)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
