"""fp8 GEMM on gfx942, once with the raw MFMA intrinsic and once with fx.gemm.

C[64, 16] = A[64, 128] @ B[16, 128].T with 4 waves, each owning 16 rows of C.

    python gemm_vgpr_compare.py raw
    python gemm_vgpr_compare.py gemm                    # a few VGPRs more than raw
    python gemm_vgpr_compare.py gemm --copy buffer64    # does not compile

Add `--dump DIR` to see the register counts. The reference check needs a gfx942 GPU; with
COMPILE_ONLY=1 ARCH=gfx942 the kernels are only compiled.
"""

import argparse
import os
import re
from pathlib import Path

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch

M, N, K = 64, 16, 128
WAVES, WAVE = 4, 64
THREADS = WAVES * WAVE
MFMA_M, MFMA_N, MFMA_K = 16, 16, 32
F8 = fx.Float8E4M3FNUZ

parser = argparse.ArgumentParser(description="VGPRs of an fp8 GEMM: raw MFMA against fx.gemm")
parser.add_argument("variant", choices=["raw", "gemm"])
parser.add_argument(
    "--copy", choices=["universal32", "buffer32", "buffer64", "buffer128"], default="universal32"
)
parser.add_argument("--buffer-tensor", action="store_true", help="A and B as buffer tensors")
parser.add_argument("--dump", metavar="DIR", help="dump IR and assembly there and print the register counts")


def make_copy_op(name):
    if name == "buffer32":
        return fx.rocdl.BufferCopy32b()
    if name == "buffer64":
        return fx.rocdl.BufferCopy64b()
    if name == "buffer128":
        return fx.rocdl.BufferCopy128b()
    return fx.UniversalCopy32b()


def load_i64(ptr, offset):
    # Eight fp8 of one row are one i64, which is what the intrinsic takes.
    i64_ptr = fx.PointerType.get(fx.Int64.ir_type, fx.AddressSpace.Global, 8)
    at = fx.recast_iter(i64_ptr, fx.add_offset(ptr, fx.make_int_tuple(offset)))
    return fx.Int64(fx.ptr_load(at)).ir_value()


@flyc.kernel
def raw_kernel(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
    tid = fx.Int32(fx.thread_idx.x)
    bid = fx.Int32(fx.block_idx.x)
    wave = tid // WAVE
    lane = tid % WAVE
    lane_row = lane % MFMA_M
    lane_group = lane // MFMA_M

    a_ptr = fx.get_iter(A)
    b_ptr = fx.get_iter(B)
    a_row = (bid * M + wave * MFMA_M + lane_row) * K
    b_row = (bid * N + lane_row) * K

    acc_type = fx.Vector.make_type(4, fx.Float32)
    acc = fx.Vector.filled(4, 0.0, fx.Float32).ir_value()
    for step in fx.range_constexpr(K // MFMA_K):
        k = step * MFMA_K + lane_group * 8
        a = load_i64(a_ptr, a_row + k)
        b = load_i64(b_ptr, b_row + k)
        acc = fx.rocdl.mfma_f32_16x16x32_fp8_fp8(acc_type, [a, b, acc, 0, 0, 0])

    c_ptr = fx.get_iter(C)
    c_row = bid * M + wave * MFMA_M + lane_group * 4
    result = fx.Vector(acc)
    for i in fx.range_constexpr(4):
        c_offset = (c_row + i) * N + lane_row
        fx.ptr_store(result[i], fx.add_offset(c_ptr, fx.make_int_tuple(c_offset)))


@flyc.jit
def launch_raw(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    raw_kernel(A, B, C).launch(grid=(1, 1, 1), block=(THREADS, 1, 1), stream=stream)


def build_gemm(copy_name, buffer_tensor):
    @flyc.kernel
    def gemm_kernel(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
        tid = fx.thread_idx.x
        bid = fx.block_idx.x
        if fx.const_expr(buffer_tensor):
            A = fx.rocdl.make_buffer_tensor(A)
            B = fx.rocdl.make_buffer_tensor(B)

        block_A = fx.slice(fx.zipped_divide(A, (M, K)), (None, bid))
        block_B = fx.slice(fx.zipped_divide(B, (N, K)), (None, bid))
        block_C = fx.slice(fx.zipped_divide(C, (M, N)), (None, bid))

        mma_atom = fx.make_mma_atom(fx.rocdl.MFMA(MFMA_M, MFMA_N, MFMA_K, F8))
        tiled_mma = fx.make_tiled_mma(mma_atom, fx.make_layout((WAVES, 1, 1), (1, 0, 0)))
        thr_mma = tiled_mma.thr_slice(tid)
        frag_A = thr_mma.make_fragment_A(block_A)
        frag_B = thr_mma.make_fragment_B(block_B)
        frag_C = thr_mma.make_fragment_C(block_C)

        load_atom = fx.make_copy_atom(make_copy_op(copy_name), F8)
        store_atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
        thr_copy_A = fx.make_tiled_copy_A(load_atom, tiled_mma).get_slice(tid)
        thr_copy_B = fx.make_tiled_copy_B(load_atom, tiled_mma).get_slice(tid)
        thr_copy_C = fx.make_tiled_copy_C(store_atom, tiled_mma).get_slice(tid)

        fx.copy(load_atom, thr_copy_A.partition_S(block_A), thr_copy_A.retile(frag_A))
        fx.copy(load_atom, thr_copy_B.partition_S(block_B), thr_copy_B.retile(frag_B))
        frag_C.fill(0)
        fx.gemm(mma_atom, frag_C, frag_A, frag_B, frag_C)
        fx.copy(store_atom, thr_copy_C.retile(frag_C), thr_copy_C.partition_S(block_C))

    @flyc.jit
    def launch(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
        gemm_kernel(A, B, C).launch(grid=(1, 1, 1), block=(THREADS, 1, 1), stream=stream)

    return launch


def make_inputs():
    torch.manual_seed(0)
    A = torch.randn(M, K, device="cuda").to(torch.float8_e4m3fnuz)
    B = torch.randn(N, K, device="cuda").to(torch.float8_e4m3fnuz)
    C = torch.zeros(M, N, device="cuda", dtype=torch.float32)
    return A, B, C


def check(A, B, C):
    expected = A.float() @ B.float().T
    error = (C - expected).abs().max().item()
    print(f"max abs error: {error:.3e}")
    assert torch.allclose(C, expected, rtol=1e-4, atol=1e-3), "wrong result"


def print_registers(folder):
    for isa in sorted(Path(folder).rglob("*final_isa.s")):
        for name, count in re.findall(r"\.(vgpr_count|vgpr_spill_count|sgpr_count): +(\d+)", isa.read_text()):
            print(f"{isa.parent.name}: {name} = {count}")


def main():
    args = parser.parse_args()
    if args.dump:
        os.environ["FLYDSL_DUMP_IR"] = "1"
        os.environ["FLYDSL_DUMP_DIR"] = args.dump
    A, B, C = make_inputs()
    print(f"{args.variant}: M={M} N={N} K={K}, copy={args.copy}, buffer tensor={args.buffer_tensor}")

    if args.variant == "raw":
        launch_raw(A, B, C)
    else:
        build_gemm(args.copy, args.buffer_tensor)(A, B, C)
    torch.cuda.synchronize()
    print("compiled")

    if args.dump:
        print_registers(args.dump)
    if torch.cuda.is_available() and os.environ.get("COMPILE_ONLY", "0") != "1":
        check(A, B, C)


if __name__ == "__main__":
    main()
