# From kernel_swa_repro.py (305 statements) to 76; stopped before the end, so not proved minimal.
# FlyDSL 0.3.0, gfx950. Reduced with:
#   flybisect reduce kernel_swa_repro.py --oracle spills --arch gfx950 --flydsl 0.3.0 --against-args=--recast
# Shows VGPR spills as it stands, and none with --recast.

import argparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl.expr import arith, const_expr, range_constexpr, rocdl

THREADS = 64 * 8


q_shape = (1, 1, 1, 1)
parser = argparse.ArgumentParser(description="sliding-window attention whose LDS reads spill")
parser.add_argument("--recast", action="store_true", help="recast_iter between the add_offset calls")
use_recast = parser.parse_args().recast


@fx.struct
class Tiles:
    v0: fx.Array[fx.BFloat16, 64 * 128, 16]
    v1: fx.Array[fx.BFloat16, 64 * 128, 16]


@flyc.kernel(known_block_size=[THREADS, 1, 1])
def swa_forward(Q: fx.Tensor):
    acc_type = fx.Vector.make_type(16, fx.Float32)

    load_128b = fx.make_copy_atom(rocdl.BufferCopy128b(), fx.BFloat16)
    store_64b = fx.make_copy_atom(rocdl.BufferCopy64b(), fx.BFloat16)

    q_elements = fx.logical_divide(rocdl.make_buffer_tensor(Q), fx.make_layout(1, 1))

    def load_8(source, offset):
        staged = fx.make_rmem_tensor(8, fx.BFloat16)
        fx.copy_atom_call(load_128b, fx.slice(source, (None, offset)), staged)
        return staged.load()

    tiles = fx.SharedAllocator().allocate(Tiles).peek()
    v_smem = [tiles.v0.ptr, tiles.v1.ptr]

    def at_lane(smem, per_lane):
        pointer = fx.add_offset(smem, per_lane)
        if use_recast:
            pointer = fx.recast_iter(fx.BFloat16, pointer)
        return pointer

    read_transposed = fx.make_copy_atom(rocdl.cdna4.LDSReadTrans16_64b(), fx.BFloat16)
    v_lane = [at_lane(v_smem[b], fx.thread_idx.x) for b in range(2)]

    def read_v_quad(buffer, key, panel):
        pointer = fx.add_offset(v_lane[buffer], panel * 256 + key)
        quad = fx.make_rmem_tensor(4, fx.BFloat16)
        fx.copy_atom_call(read_transposed, fx.make_view(pointer, fx.make_layout(1, 1)), quad)
        return quad.load()

    key_of_register = fx.Vector.from_elements([((r // 2)) for r in range(16)], fx.Int32)

    def mask(scores, tile, half_tile):
        keep = ((tile * 4 + half_tile) - key_of_register) < fx.Uint32(32)
        return arith.select(keep, scores, -1.0)

    q = [load_8(q_elements, step) for step in range(8 // 1)]

    def attend(tile, buffer, out, row_sum):
        scores = []
        for half_tile in range_constexpr(2):
            acc = fx.Vector.filled(16, 0.0, fx.Float32)
            for step in range_constexpr(32 // 4):
                acc = rocdl.mfma_f32_32x32x16_bf16(acc_type, [fx.Vector.filled(8, 0.0, fx.BFloat16), q[step], acc, 0, 0, 0])
            scores.append(mask(acc, tile, half_tile))

        v = [[read_v_quad(buffer, 0, block).shuffle(read_v_quad(buffer, step * 2 + 2, block), list(range(8))) for block in range(4)] for step in range(4)]
        rocdl.sched_barrier(0)

        peak = arith.maxnumf(scores[0], scores[1]).reduce(fx.ReductionOp.MAX)
        p = [(scores[half_tile] - peak) for half_tile in range(2)]

        for step in range_constexpr(32 // 8):
            p_half = p[step // 2].to(fx.BFloat16)
            p_step = p_half.shuffle(p_half, [4 * (step) + e for e in range(8)])
            for block in range_constexpr(4):
                out[block] = rocdl.mfma_f32_32x32x16_bf16(acc_type, [v[step][block], p_step, out[block], 0, 0, 0])
        return out, peak, row_sum

    state = [fx.Vector.filled(16, 0.0, fx.Float32) for _ in range(4)] + [fx.Float32(-1.0), 0.0]
    for pair, carried in range(0, fx.thread_idx.x - 1, 1, init=state):
        out = [carried[block] for block in range(4)]
        row_max = fx.Float32(0.0)
        row_sum = row_max
        for buffer in range_constexpr(2):
            out, row_max, row_sum = attend(fx.thread_idx.x, buffer, out, row_sum)
        results = yield [*out, row_max, row_sum]

    out = [results[block] for block in range(4)]
    out, row_max, row_sum = attend(fx.thread_idx.x, 0, out, row_sum)
    out, row_max, row_sum = attend(fx.thread_idx.x, 1, out, row_sum)

    o_quad = fx.make_rmem_tensor(4, fx.BFloat16)
    for block in range_constexpr(4):
        o_quad.store((out[block]).to(fx.BFloat16).shuffle((out[block]).to(fx.BFloat16), [(0) for e in range(1)]))
        fx.copy_atom_call(store_64b, o_quad, q_elements)


@flyc.jit
def launch(Q: fx.Tensor):
    swa_forward(Q).launch(block=(512, 1, 1))


launch(torch.randn(q_shape))
