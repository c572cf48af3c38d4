from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.probe.assembly import base_register, parse

TEXT = """\
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
\t.text
\t.globl\tfirst
\t.p2align\t8
\t.type\tfirst,@function
first:                                  ; @first
; %bb.0:
\ts_load_dwordx4 s[0:3], s[4:5], 0x0
\tv_mov_b32_e32 v1, 0                     ; v_mov_b32_e32 in a comment
\tds_read_b64_tr_b16 v[2:3], v1
\tds_read_b64_tr_b16 v[4:5], v1 offset:128
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
\tds_read_b64_tr_b16 v[6:7], v9 offset:256
\tds_write_b128 v8, v[2:5] offset:16
\tscratch_store_dword off, v1, off offset:4 ; 4-byte Folded Spill
\tscratch_load_dword v1, off, off offset:4 ; 4-byte Folded Reload
\tbuffer_load_dwordx4 v[0:3], v12, s[0:3], 0 offen
\tbuffer_load_dwordx4 v[0:3], v13, s[0:3], 0 offen offset:16
\tbuffer_load_dwordx4 v14, s[8:11], 0 offen lds
\tglobal_load_dword v1, v[2:3], off
\tglobal_store_dword v0, v1, s[2:3]
\ts_endpgm
\t.section\t.rodata,"a",@progbits
\t.amdhsa_kernel first
\t\t.amdhsa_group_segment_fixed_size 0
\t.end_amdhsa_kernel
\t.text
.Lfunc_end0:
\t.size\tfirst, .Lfunc_end0-first
\t.type\tsecond,@function
second:
\ts_endpgm
.Lfunc_end1:
\t.size\tsecond, .Lfunc_end1-second
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
...
\t.end_amdgpu_metadata
"""


def test_counts_and_bases_by_function() -> None:
    found = parse(TEXT)
    assert set(found) == {"first", "second"}
    first = found["first"]
    assert first.instructions["ds_read_b64_tr_b16"] == 3
    assert first.instructions["v_mov_b32_e32"] == 1
    assert first.instructions["s_endpgm"] == 1
    assert first.bases == {
        "ds_read_b64_tr_b16": 2,
        "ds_write_b128": 1,
        "scratch_store_dword": 1,
        "scratch_load_dword": 1,
        "buffer_load_dwordx4": 3,
        "global_load_dword": 1,
        "global_store_dword": 1,
    }
    assert found["second"].instructions == {"s_endpgm": 1}


@pytest.mark.parametrize(
    ("mnemonic", "rest", "base"),
    [
        ("ds_read_b128", "v[0:3], v60 offset:16", "v60"),
        ("ds_read2_b32", "v[0:1], v9 offset1:1", "v9"),
        ("ds_write_b128", "v7, v[0:3]", "v7"),
        ("ds_write2st64_b64", "v7, v[0:1], v[2:3] offset1:4", "v7"),
        ("ds_bpermute_b32", "v1, v2, v3", "v2"),
        ("ds_add_rtn_u32", "v1, v2, v3", "v2"),
        ("ds_add_u32", "v2, v3", "v2"),
        ("buffer_store_dwordx2", "v[0:1], v5, s[8:11], 0 offen", "v5"),
        ("buffer_load_dword", "v0, off, s[8:11], s3", "off"),
        ("buffer_wbl2", "sc1", None),
        ("global_load_dwordx4", "v[0:3], v[4:5], off offset:16", "v[4:5]"),
        ("global_load_dwordx4", "v[0:3], v4, s[0:1]", "v4 s[0:1]"),
        ("global_store_dwordx4", "v4, v[0:3], s[0:1]", "v4 s[0:1]"),
        ("global_store_dwordx4", "v[4:5], v[0:3], off", "v[4:5]"),
        ("scratch_load_dword", "v1, off, s33 offset:4", "off s33"),
        ("flat_load_dword", "v1, v[2:3]", "v[2:3]"),
        ("v_add_u32_e32", "v0, v1, v2", None),
        ("s_load_dwordx2", "s[0:1], s[4:5], 0x0", None),
    ],
)
def test_base_register(mnemonic: str, rest: str, base: str | None) -> None:
    assert base_register(mnemonic, rest) == base


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse(text)
    parse("\t.type\tk,@function\nk:\n\t" + text)
