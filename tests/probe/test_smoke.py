from __future__ import annotations

from pathlib import Path

from flybisect.probe.runner import Runner
from flybisect.probe.smoke import smoke_test
from flybisect.toolchain.assemble import toolchain_over
from flybisect.toolchain.installed import installed_site
from flybisect.toolchain.model import Toolchain
from flybisect.toolchain.rocm import find_rocm


def copy_of_links(tmp_path: Path) -> Path:
    """A folder that has the installed FlyDSL, file by file as links."""
    site = installed_site()
    assert site is not None
    for root in ("flydsl", "flydsl.libs"):
        for path in (site / root).rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                link = tmp_path / "site" / path.relative_to(site)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(path)
    return tmp_path / "site"


def over(site: Path, tmp_path: Path) -> Toolchain:
    return toolchain_over(site, spec="made", kind="source", rocm=find_rocm(tmp_path), on_path=False)


def test_a_flydsl_that_compiles_and_one_that_does_not(tmp_path: Path) -> None:
    site = copy_of_links(tmp_path)
    with Runner(tmp_path / "trials", 1) as runner:
        assert smoke_test(runner)(over(site, tmp_path)) is None
        library = next((site / "flydsl/_mlir/_mlir_libs").glob("_mlirDialectsFly.*.so"))
        library.unlink()
        library.write_bytes(b"\x7fELF half a library")
        said = smoke_test(runner)(over(site, tmp_path))
        assert said is not None and "_mlirDialectsFly" in said
