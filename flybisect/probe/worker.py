"""Entry point of a worker process: run by the toolchain's interpreter, by its path.

Must import under any FlyDSL release's Python and must not import flybisect: the worker's
half is loaded as a package of its own, under a name that no script uses.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path

PACKAGE = "_flybisect_inside"


def _load_inside() -> None:
    folder = Path(__file__).resolve().parent / "inside"
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no worker code in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)


def main(argv: list[str]) -> int:
    """`argv`: the control socket's file descriptor, then the start settings as JSON.

    Or `--examine` and an empty folder: print as JSON what there is to confine a trial with.
    """
    # The interpreter put this file's folder first; a script must not import from it.
    if sys.path and Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
        del sys.path[0]
    _load_inside()
    if argv[0] == "--examine":
        sandbox = importlib.import_module(PACKAGE + ".sandbox")
        print(json.dumps(asdict(sandbox.examine(argv[1]))))
        return 0
    serve = importlib.import_module(PACKAGE + ".serve")
    result: int = serve.main(int(argv[0]), json.loads(argv[1]))
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
