# Reduced by flybisect 0.1.0 from 305 statements to 54.
# FlyDSL 0.3.0, gfx950. Reduced with:
#   flybisect reduce kernel_swa_repro.py --oracle spills --arch gfx950 --flydsl 0.3.0 --against-args --recast
# Run with:
#   python spills.py
# Shows:
#                   this  --recast
#   vgprs            254       248
#   sgprs             58        86
#   vgpr_spills       16         0
#   scratch_bytes     68         0
#   lds_bytes      32768     32768
#   occupancy          2         2

import sys

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl.expr import arith, range_constexpr, rocdl


@fx.struct
class Tiles:
    v0: fx.Array[fx.BFloat16, 64 * 128, 16]
    v1: fx.Array[fx.BFloat16, 64 * 128, 16]


@flyc.kernel(known_block_size=[512, 1, 1])
def swa_forward(Q: fx.Tensor):
    q_elements = fx.logical_divide(rocdl.make_buffer_tensor(Q), fx.make_layout(1, 1))

    def load_8(source, offset):
        staged = fx.make_rmem_tensor(8, fx.BFloat16)
        fx.copy_atom_call(
            fx.make_copy_atom(rocdl.BufferCopy128b(), fx.BFloat16),
            fx.slice(source, (None, offset)),
            staged,
        )
        return staged.load()

    tiles = fx.SharedAllocator().allocate(Tiles).peek()

    def at_lane(smem, per_lane):
        pointer = fx.add_offset(smem, per_lane)
        if "--recast" in sys.argv:
            pointer = fx.recast_iter(fx.BFloat16, pointer)
        return pointer

    v_lane = [at_lane([tiles.v0.ptr, tiles.v1.ptr][b], fx.thread_idx.x) for b in range(2)]

    def read_v_quad(buffer, key, panel):
        quad = fx.make_rmem_tensor(4, fx.BFloat16)
        fx.copy_atom_call(
            fx.make_copy_atom(rocdl.cdna4.LDSReadTrans16_64b(), fx.BFloat16),
            fx.make_view(fx.add_offset(v_lane[buffer], panel + key), fx.make_layout(1, 1)),
            quad,
        )
        return quad.load()

    key_of_register = fx.Vector.from_elements([r for r in range(16)], fx.Int32)

    q = [load_8(q_elements, step) for step in range(8)]

    def attend(tile, buffer, out):
        scores = []
        for half_tile in range_constexpr(2):
            acc = fx.Vector.filled(16, 0.0, fx.Float32)
            for step in range_constexpr(8):
                acc = rocdl.mfma_f32_32x32x16_bf16(
                    fx.Vector.make_type(16, fx.Float32),
                    [fx.Vector.filled(8, 0.0, fx.BFloat16), q[step], acc, 0, 0, 0],
                )
            scores.append(arith.select(tile + half_tile - key_of_register < fx.Uint32(2), acc, -1.0))

        v = [[read_v_quad(buffer, step, block).shuffle(read_v_quad(buffer, step * 4 + 8, block), list(range(8))) for block in range(4)] for step in range(4)]
        rocdl.sched_barrier(0)

        p = [scores[half_tile] - scores[0] for half_tile in range(2)]

        for step in range_constexpr(4):
            p_step = p[step // 2].to(fx.BFloat16).shuffle(p[0].to(fx.BFloat16), [8 * (step % 2) + e for e in range(8)])
            for block in range_constexpr(4):
                out[block] = rocdl.mfma_f32_32x32x16_bf16(
                    fx.Vector.make_type(16, fx.Float32),
                    [v[step][block], p_step, out[block], 0, 0, 0],
                )

    for pair, carried in range(
        0,
        fx.thread_idx.x - 1,
        1,
        init=[fx.Vector.filled(16, 0.0, fx.Float32) for _ in range(4)],
    ):
        for buffer in range_constexpr(2):
            attend(fx.thread_idx.x, buffer, carried)
        results = yield [*carried]

    attend(0, 0, results)
    attend(fx.thread_idx.x, 1, results)

    o_quad = fx.make_rmem_tensor(4, fx.BFloat16)
    for block in range_constexpr(4):
        o_quad.store(results[block].to(fx.BFloat16).shuffle(results[block].to(fx.BFloat16), [e for e in range(1)]))
        fx.copy_atom_call(fx.make_copy_atom(rocdl.BufferCopy64b(), fx.BFloat16), o_quad, q_elements)


@flyc.jit
def launch(Q: fx.Tensor):
    swa_forward(Q).launch(block=(512, 1, 1))


launch(torch.randn((1,)))
