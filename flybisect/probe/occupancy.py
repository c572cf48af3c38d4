"""Wavefronts per SIMD that a kernel's registers and LDS leave room for.

Limits and granules as in LLVM's `AMDGPUBaseInfo.cpp` (`getVGPRAllocGranule`, `getTotalNumVGPRs`,
`getMaxWavesPerEU`, `getNumWavesPerEUWithNumVGPRs`), `SIRegisterInfo`, and the LDS sizes of the "User Guide
for AMDGPU Backend". A compute unit has 4 SIMDs (gfx9) or, in the default work-group-processor mode from gfx10
on, a work-group processor has 4.
"""

from __future__ import annotations

from dataclasses import dataclass

_KIB = 1024


@dataclass(frozen=True)
class _Hardware:
    waves: int
    """Most wavefronts per SIMD."""
    vgprs: int
    """Vector registers per lane and SIMD at the kernel's wavefront size."""
    granule: int
    """Vector registers are given out in steps of this many."""
    lds: int
    """Bytes that the workgroups of one compute unit (work-group processor) share."""
    simds: int = 4
    sgprs: int = 0
    """Scalar registers per SIMD; 0 where they never limit."""
    sgpr_granule: int = 16


def _hardware(arch: str, wavefront: int) -> _Hardware | None:
    name = arch.partition(":")[0].partition("-")[0]
    if name in ("gfx90a", "gfx940", "gfx941", "gfx942"):
        return _Hardware(waves=8, vgprs=512, granule=8, lds=64 * _KIB, sgprs=800)
    if name == "gfx950":
        return _Hardware(waves=8, vgprs=512, granule=8, lds=160 * _KIB, sgprs=800)
    if name in ("gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90c"):
        return _Hardware(waves=10, vgprs=256, granule=4, lds=64 * _KIB, sgprs=800)
    wide = 2 if wavefront == 32 else 1
    if name.startswith("gfx101"):
        return _Hardware(waves=20, vgprs=512 * wide, granule=4 * wide, lds=128 * _KIB)
    if name.startswith("gfx103"):
        return _Hardware(waves=16, vgprs=512 * wide, granule=8 * wide, lds=128 * _KIB)
    if name in ("gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"):
        return _Hardware(waves=16, vgprs=768 * wide, granule=12 * wide, lds=128 * _KIB)
    if name.startswith("gfx11"):
        return _Hardware(waves=16, vgprs=512 * wide, granule=8 * wide, lds=128 * _KIB)
    return None


def occupancy(arch: str, *, vgprs: int, sgprs: int, lds: int, workgroup: int, wavefront: int) -> int:
    """Wavefronts per SIMD; 0 for an arch that is not known here, or where one workgroup does not fit.

    `vgprs`, `sgprs`: registers per lane and per wavefront; `lds`: bytes per workgroup; `workgroup`:
    largest flat size in lanes (0: unknown).
    """
    hardware = _hardware(arch, wavefront)
    if hardware is None or wavefront <= 0:
        return 0
    waves = min(hardware.waves, _by_registers(vgprs, hardware.vgprs, hardware.granule, hardware.waves))
    if hardware.sgprs:
        waves = min(waves, _by_registers(sgprs, hardware.sgprs, hardware.sgpr_granule, hardware.waves))
    if lds:
        waves = min(waves, _by_lds(lds, workgroup or wavefront, wavefront, hardware))
    return waves


def _by_registers(used: int, total: int, granule: int, most: int) -> int:
    rounded = max(granule, -(-used // granule) * granule)
    return min(most, total // rounded)


def _by_lds(lds: int, workgroup: int, wavefront: int, hardware: _Hardware) -> int:
    groups = hardware.lds // lds
    waves_per_group = -(-workgroup // wavefront)
    # Rounded up, as LLVM does: the fullest SIMD is meant.
    return min(hardware.waves, -(-groups * waves_per_group // hardware.simds))
