"""Grouped-query sliding-window attention, forward, bf16, gfx950.

Query row i of a head attends the keys i - window + 1 .. i of its KV head. A workgroup of eight
waves serves one KV head: every query head of the group gets its share of the waves, and a wave
owns 32 query rows. All waves share the K and V tiles (64 keys), staged through LDS in two buffers.

A wave computes S^T = K Q^T, so that a lane holds scores of a single query, and O^T = V^T P^T,
for which V is read from LDS transposed (ds_read_b64_tr_b16). The address of such a read is a
per-lane part plus a constant:

    add_offset(add_offset(smem, per_lane), constant)

On FlyDSL 0.3.0 these reads make the kernel spill. With `--recast` a recast_iter to the type the
pointer already has stands between the two add_offset, and the spills are gone.

    python kernel_swa_repro.py
    python kernel_swa_repro.py --recast

With a GPU the output is checked against PyTorch and timed; with COMPILE_ONLY=1 ARCH=gfx950 the
kernel is only compiled. `--dump DIR` prints what the assembly says.
"""

import argparse
import math
import os
import re
from pathlib import Path

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl.expr import arith, const_expr, range_constexpr, rocdl

HEAD_DIM = 128
WAVE = 64
WAVES = 8
THREADS = WAVE * WAVES
WAVE_ROWS = 32
TILE_KEYS = 64

# K lies in LDS row by row, padded against bank conflicts. V lies in panels of 32 columns: the four
# rows that 16 lanes read at once are then 256 contiguous bytes.
K_PITCH = HEAD_DIM + 8
PANEL = 32
PANEL_SIZE = TILE_KEYS * PANEL

# Scores outside the window, and the running maximum before the first score. Both are finite, so
# that no difference is ever inf - inf, and the first lies so far below the second that
# exp2(MASKED - NO_MAX) is zero.
NO_MAX = -1.0e30
MASKED = -2.0e30


def build_swa_forward(heads, kv_heads, window, use_recast):
    """The launcher for contiguous (batch, seq, heads, HEAD_DIM) tensors."""
    group = heads // kv_heads
    assert group * kv_heads == heads and WAVES % group == 0, "the waves are dealt to the heads of a group"
    waves_per_head = WAVES // group
    block_rows = waves_per_head * WAVE_ROWS
    q_row_stride = heads * HEAD_DIM
    kv_row_stride = kv_heads * HEAD_DIM
    scale_log2e = math.log2(math.e) / math.sqrt(HEAD_DIM)

    @fx.struct
    class Tiles:
        k0: fx.Array[fx.BFloat16, TILE_KEYS * K_PITCH, 16]
        k1: fx.Array[fx.BFloat16, TILE_KEYS * K_PITCH, 16]
        v0: fx.Array[fx.BFloat16, TILE_KEYS * HEAD_DIM, 16]
        v1: fx.Array[fx.BFloat16, TILE_KEYS * HEAD_DIM, 16]

    @flyc.kernel(known_block_size=[THREADS, 1, 1])
    def swa_forward(
        Q: fx.Tensor,
        K: fx.Tensor,
        V: fx.Tensor,
        OUT: fx.Tensor,
        LSE: fx.Tensor,
        seq_len: fx.Int32,
    ):
        bf16, f32, i32 = fx.BFloat16, fx.Float32, fx.Int32
        acc_type = fx.Vector.make_type(16, f32)

        # ---- who works on what ----
        tid = i32(fx.thread_idx.x)
        lane = tid % WAVE
        wave = i32(rocdl.readfirstlane(i32.ir_type, (tid // WAVE).ir_value()))
        lane_col = lane % 32
        lane_half = lane // 32

        block_row = i32(fx.block_idx.x) * block_rows
        kv_head = i32(fx.block_idx.y)
        batch = i32(fx.block_idx.z)
        head = kv_head * group + wave // waves_per_head
        wave_row = block_row + (wave % waves_per_head) * WAVE_ROWS
        q_row = wave_row + lane_col

        # ---- global memory ----
        load_128b = fx.make_copy_atom(rocdl.BufferCopy128b(), bf16)
        store_64b = fx.make_copy_atom(rocdl.BufferCopy64b(), bf16)
        store_32b = fx.make_copy_atom(rocdl.BufferCopy32b(), f32)

        def elements(tensor):
            return fx.logical_divide(rocdl.make_buffer_tensor(tensor), fx.make_layout(1, 1))

        q_elements = elements(Q)
        k_elements = elements(K)
        v_elements = elements(V)
        o_elements = elements(OUT)
        lse_elements = elements(LSE)

        def load_8(source, offset):
            staged = fx.make_rmem_tensor(8, bf16)
            fx.copy_atom_call(load_128b, fx.slice(source, (None, offset)), staged)
            return staged.load()

        # ---- LDS ----
        tiles = fx.SharedAllocator().allocate(Tiles).peek()
        k_smem = [tiles.k0.ptr, tiles.k1.ptr]
        v_smem = [tiles.v0.ptr, tiles.v1.ptr]

        def at_lane(smem, per_lane):
            pointer = fx.add_offset(smem, fx.make_int_tuple(per_lane))
            if const_expr(use_recast):
                pointer = fx.recast_iter(bf16, pointer)
            return pointer

        def view_8(pointer, offset):
            return fx.make_view(fx.add_offset(pointer, fx.make_int_tuple(offset)), fx.make_layout(8, 1))

        # A thread stages 2 x 8 elements of each tile: rows stage_row and stage_row + 32.
        stage_row = tid // 16
        stage_col = (tid % 16) * 8
        rows_per_pass = THREADS // 16
        passes = TILE_KEYS // rows_per_pass
        kv_base = batch * (seq_len * kv_row_stride) + kv_head * HEAD_DIM + stage_col
        last_tile = seq_len // TILE_KEYS - 1
        k_stage = [
            fx.add_offset(k_smem[b], fx.make_int_tuple(stage_row * K_PITCH + stage_col)) for b in range(2)
        ]
        v_stage_at = (stage_col // PANEL) * PANEL_SIZE + stage_row * PANEL + stage_col % PANEL
        v_stage = [fx.add_offset(v_smem[b], fx.make_int_tuple(v_stage_at)) for b in range(2)]

        def fetch(source, tile):
            # A tile behind the end is masked anyway; fetch the last one instead.
            tile = (tile < last_tile).select(tile, last_tile)
            first = kv_base + (tile * TILE_KEYS + stage_row) * kv_row_stride
            return [load_8(source, first + p * rows_per_pass * kv_row_stride) for p in range(passes)]

        def put(pointer, pitch, pieces):
            for p in range_constexpr(passes):
                view_8(pointer, p * rows_per_pass * pitch).store(pieces[p])

        # K as operand A of a 32x32x16 MFMA: lane_col is the key, lane_half selects 8 of 16 columns.
        k_lane = [at_lane(k_smem[b], lane_col * K_PITCH + lane_half * 8) for b in range(2)]

        def read_k(buffer, half_tile, step):
            return view_8(k_lane[buffer], half_tile * 32 * K_PITCH + step * 16).load()

        # V transposed: 16 lanes read a block of 4 keys x 16 columns, 4 elements each, and every lane
        # gets one column of it. lane_half selects keys 0..3 or 4..7.
        read_transposed = fx.make_copy_atom(rocdl.cdna4.LDSReadTrans16_64b(), bf16)
        v_key = lane_half * 4 + (lane % 16) // 4
        v_col = ((lane % 32) // 16) * 16 + (lane % 4) * 4
        v_lane = [at_lane(v_smem[b], v_key * PANEL + v_col) for b in range(2)]

        def read_v_quad(buffer, key, panel):
            pointer = fx.add_offset(v_lane[buffer], fx.make_int_tuple(panel * PANEL_SIZE + key * PANEL))
            quad = fx.make_rmem_tensor(4, bf16)
            fx.copy_atom_call(read_transposed, fx.make_view(pointer, fx.make_layout(4, 1)), quad)
            return quad.load()

        def read_v(buffer, step, block):
            low = read_v_quad(buffer, step * 16, block)
            high = read_v_quad(buffer, step * 16 + 8, block)
            return low.shuffle(high, list(range(8)))

        def mfma(a, b, c):
            return rocdl.mfma_f32_32x32x16_bf16(acc_type, [a, b, c, 0, 0, 0])

        # ---- softmax over the keys of one query, which lie in two lanes: lane_col and lane_col + 32 ----
        def both_halves_max(x):
            return arith.maxnumf(x, f32(x).shuffle_xor(32, WAVE).ir_value())

        key_of_register = fx.Vector.from_elements([8 * (r // 4) + r % 4 for r in range(16)], i32)

        def mask(scores, tile, half_tile):
            distance = q_row - (tile * TILE_KEYS + half_tile * 32 + lane_half * 4)
            behind = fx.Vector.filled(16, distance, i32) - key_of_register
            keep = behind.bitcast(fx.Uint32) < fx.Uint32(window)
            outside = fx.Vector.filled(16, MASKED, f32)
            return fx.Vector(arith.select(keep, scores, outside))

        def exp2(x):
            return f32(rocdl.exp2(f32.ir_type, x.ir_value()))

        def exp2_16(x):
            return fx.Vector.from_elements([exp2(x[r]) for r in range(16)], f32)

        # ---- Q as operand B: lane_col is the query row, lane_half selects 8 of 16 columns ----
        q_base = (batch * seq_len + q_row) * q_row_stride + head * HEAD_DIM
        q = [load_8(q_elements, q_base + step * 16 + lane_half * 8) for step in range(HEAD_DIM // 16)]

        # An empty asm that takes and gives the accumulators: what comes after stays after.
        def pin(values):
            types = [acc_type] * len(values)
            packed = ir.Type.parse("!llvm.struct<(" + ", ".join(str(t) for t in types) + ")>")
            ties = ",".join(["=v"] * len(values) + [str(n) for n in range(len(values))])
            raw = [fx.Vector(v).ir_value() for v in values]
            pinned = llvm.inline_asm(packed, raw, "", ties, has_side_effects=True)
            return [llvm.extractvalue(acc_type, pinned, [n]) for n in range(len(values))]

        def attend(tile, buffer, out, row_max, row_sum):
            # The barriers keep the scheduler from mixing the phases; V is on its way during the softmax.
            scores = []
            for half_tile in range_constexpr(2):
                acc = fx.Vector.filled(16, 0.0, f32)
                for step in range_constexpr(HEAD_DIM // 16):
                    acc = mfma(read_k(buffer, half_tile, step), q[step], acc)
                scores.append(mask(fx.Vector(acc) * scale_log2e, tile, half_tile))
                rocdl.sched_barrier(0)

            v = [[read_v(buffer, step, block) for block in range(4)] for step in range(4)]
            rocdl.sched_barrier(0)

            peak = fx.Vector(arith.maxnumf(scores[0], scores[1])).reduce(fx.ReductionOp.MAX)
            new_max = f32(arith.maxnumf(row_max.ir_value(), both_halves_max(peak.ir_value())))
            alpha = exp2(row_max - new_max)
            p = [exp2_16(scores[half_tile] - new_max) for half_tile in range(2)]
            row_sum = row_sum * alpha + (p[0] + p[1]).reduce(fx.ReductionOp.ADD)
            out = [fx.Vector(out[block]) * alpha for block in range(4)]

            for step in range_constexpr(TILE_KEYS // 16):
                p_half = p[step // 2].to(bf16)
                p_step = p_half.shuffle(p_half, [8 * (step % 2) + e for e in range(8)])
                for block in range_constexpr(4):
                    out[block] = mfma(v[step][block], p_step, out[block])
            return pin(out), new_max, row_sum

        # ---- the tiles that some row of the block sees, two per iteration ----
        left = block_row - (window - 1)
        left = (left > 0).select(left, i32(0))
        first_tile = left // TILE_KEYS
        tile_count = (block_row + (block_rows - 1)) // TILE_KEYS - first_tile + 1
        pairs = (tile_count + 1) // 2

        put(k_stage[0], K_PITCH, fetch(k_elements, first_tile))
        put(v_stage[0], PANEL, fetch(v_elements, first_tile))
        fx.gpu.barrier()

        state = [fx.Vector.filled(16, 0.0, f32) for _ in range(4)] + [f32(NO_MAX), f32(0.0)]
        for pair, carried in range(0, pairs - 1, 1, init=state):
            out = [carried[block] for block in range(4)]
            row_max = f32(carried[4])
            row_sum = f32(carried[5])
            for buffer in range_constexpr(2):
                tile = first_tile + i32(pair) * 2 + buffer
                next_k = fetch(k_elements, tile + 1)
                next_v = fetch(v_elements, tile + 1)
                out, row_max, row_sum = attend(tile, buffer, out, row_max, row_sum)
                put(k_stage[1 - buffer], K_PITCH, next_k)
                put(v_stage[1 - buffer], PANEL, next_v)
                fx.gpu.barrier()
            results = yield [*out, row_max, row_sum]

        out = [results[block] for block in range(4)]
        row_max = f32(results[4])
        row_sum = f32(results[5])
        tile = first_tile + (pairs - 1) * 2
        next_k = fetch(k_elements, tile + 1)
        next_v = fetch(v_elements, tile + 1)
        out, row_max, row_sum = attend(tile, 0, out, row_max, row_sum)
        put(k_stage[1], K_PITCH, next_k)
        put(v_stage[1], PANEL, next_v)
        fx.gpu.barrier()
        out, row_max, row_sum = attend(tile + 1, 1, out, row_max, row_sum)

        # ---- normalise and store ----
        out = [fx.Vector(out[block]) for block in range(4)]
        row_sum = row_sum + row_sum.shuffle_xor(32, WAVE)
        inverse = f32(1.0) / row_sum

        o_base = (batch * seq_len + q_row) * q_row_stride + head * HEAD_DIM + lane_half * 4
        o_quad = fx.make_rmem_tensor(4, bf16)
        for block in range_constexpr(4):
            normal = (out[block] * inverse).to(bf16)
            for quad in range_constexpr(4):
                o_quad.store(normal.shuffle(normal, [quad * 4 + e for e in range(4)]))
                o_offset = o_base + block * 32 + quad * 8
                fx.copy_atom_call(store_64b, o_quad, fx.slice(o_elements, (None, o_offset)))

        # v_log_f32 is a logarithm to base 2, and row_max is in units of log2, too.
        lse = (row_max + f32(rocdl.log(f32.ir_type, row_sum.ir_value()))) * math.log(2.0)
        lse_offset = (batch * heads + head) * seq_len + q_row
        lse_one = fx.make_rmem_tensor(1, f32)
        if lane_half == 0:
            lse_one.store(fx.Vector.filled(1, lse, f32))
            fx.copy_atom_call(store_32b, lse_one, fx.slice(lse_elements, (None, lse_offset)))

    @flyc.jit
    def launch(
        Q: fx.Tensor,
        K: fx.Tensor,
        V: fx.Tensor,
        OUT: fx.Tensor,
        LSE: fx.Tensor,
        batch: fx.Int32,
        seq_len: fx.Int32,
        stream: fx.Stream = fx.Stream(None),
    ):
        blocks = seq_len // block_rows
        kernel = swa_forward(Q, K, V, OUT, LSE, seq_len)
        kernel.launch(grid=(blocks, kv_heads, batch), block=(THREADS, 1, 1), stream=stream)

    return launch


def make_inputs(args):
    torch.manual_seed(args.seed)
    q_shape = (args.batch, args.seq_len, args.heads, HEAD_DIM)
    kv_shape = (args.batch, args.seq_len, args.kv_heads, HEAD_DIM)
    q = torch.randn(q_shape, device="cuda", dtype=torch.bfloat16)
    k = torch.randn(kv_shape, device="cuda", dtype=torch.bfloat16)
    v = torch.randn(kv_shape, device="cuda", dtype=torch.bfloat16)
    out = torch.zeros(q_shape, device="cuda", dtype=torch.bfloat16)
    lse = torch.zeros((args.batch, args.heads, args.seq_len), device="cuda", dtype=torch.float32)
    return q, k, v, out, lse


def reference(q, k, v, window):
    """Output and log-sum-exp in float32, one batch and head at a time to bound the memory."""
    batch, seq_len, heads, _ = q.shape
    group = heads // k.shape[2]
    rows = torch.arange(seq_len, device=q.device)
    behind = rows[:, None] - rows[None, :]
    outside = (behind < 0) | (behind >= window)
    out = torch.empty(q.shape, device=q.device, dtype=torch.float32)
    lse = torch.empty((batch, heads, seq_len), device=q.device, dtype=torch.float32)
    for b in range(batch):
        for h in range(heads):
            scores = q[b, :, h].float() @ k[b, :, h // group].float().T / math.sqrt(HEAD_DIM)
            scores = scores.masked_fill(outside, float("-inf"))
            lse[b, h] = torch.logsumexp(scores, dim=-1)
            out[b, :, h] = torch.softmax(scores, dim=-1) @ v[b, :, h // group].float()
    return out, lse


def check(q, k, v, out, lse, window):
    expected_out, expected_lse = reference(q, k, v, window)
    out_error = (out.float() - expected_out).abs().max().item()
    lse_error = (lse - expected_lse).abs().max().item()
    print(f"max abs error: out {out_error:.2e}, lse {lse_error:.2e}")
    assert out_error < 2e-2, "the output is wrong"
    assert lse_error < 1e-2, "the log-sum-exp is wrong"


def time_launch(run, iterations):
    """Milliseconds per launch."""
    for _ in range(3):
        run()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(iterations):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / iterations


def attended_pairs(seq_len, window):
    """Query-key pairs of one head that the mask keeps."""
    ramp = min(seq_len, window)
    return ramp * (ramp + 1) // 2 + (seq_len - ramp) * window


def print_assembly(folder):
    for path in sorted(Path(folder).rglob("*final_isa.s")):
        text = path.read_text()
        reads = re.findall(r"ds_read_b64_tr_b16 v\[\d+:\d+\], (v\d+)", text)
        vgprs = re.search(r"\.vgpr_count:\s+(\d+)", text)
        spills = re.search(r"\.vgpr_spill_count:\s+(\d+)", text)
        print(f"{path.parent.name}:")
        print(f"  VGPRs            {vgprs.group(1) if vgprs else '?'}")
        print(f"  VGPR spills      {spills.group(1) if spills else '?'}")
        print(f"  scratch loads    {text.count('scratch_load')}")
        print(f"  scratch stores   {text.count('scratch_store')}")
        print(f"  ds_read_b64_tr   {len(reads)} from {len(set(reads))} base registers")


def parse_args():
    parser = argparse.ArgumentParser(description="sliding-window attention whose LDS reads spill")
    parser.add_argument("--recast", action="store_true", help="recast_iter between the add_offset calls")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--seq-len", type=int, default=4096)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=16)
    parser.add_argument("--window", type=int, default=512, help="keys that a query sees, itself included")
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dump", metavar="DIR", help="dump IR and assembly there, and print its figures")
    return parser.parse_args()


def main():
    args = parse_args()
    rows_per_block = WAVES * args.kv_heads // args.heads * WAVE_ROWS
    assert args.seq_len % max(rows_per_block, TILE_KEYS) == 0, "seq-len must fill whole blocks"
    if args.dump:
        os.environ["FLYDSL_DUMP_IR"] = "1"
        os.environ["FLYDSL_DUMP_DIR"] = args.dump

    q, k, v, out, lse = make_inputs(args)
    launch = build_swa_forward(args.heads, args.kv_heads, args.window, args.recast)

    def run():
        launch(q, k, v, out, lse, args.batch, args.seq_len)

    run()
    torch.cuda.synchronize()
    print(f"compiled, recast_iter {'on' if args.recast else 'off'}")
    if args.dump:
        print_assembly(args.dump)
    if torch.cuda.is_available() and os.environ.get("COMPILE_ONLY", "0") != "1":
        check(q, k, v, out, lse, args.window)
        milliseconds = time_launch(run, args.iterations)
        pairs = args.batch * args.heads * attended_pairs(args.seq_len, args.window)
        tflops = 4 * pairs * HEAD_DIM / milliseconds / 1e9
        print(f"{milliseconds:.3f} ms, {tflops:.1f} TFLOPS (masked pairs not counted)")


if __name__ == "__main__":
    main()
