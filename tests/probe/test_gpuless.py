"""Scripts that were written for a machine with a GPU."""

from __future__ import annotations

from flybisect.observation import Outcome, Stage
from tests.probe.conftest import Run
from tests.probe.scripts import COPY, HEAD


def test_a_bug_report_runs_unmodified(run: Run) -> None:
    source = COPY.replace(
        "run(torch.zeros(65536), torch.zeros(65536))",
        """
device = torch.device("cuda")
assert torch.cuda.is_available()
torch.cuda.set_device(0)
torch.manual_seed(0)
torch.cuda.manual_seed(0)
assert torch.cuda.get_device_properties(0).gcnArchName.split(":")[0] == "gfx942"
print(torch.cuda.get_device_name(), torch.cuda.get_device_properties("cuda").multi_processor_count + 1)
a = torch.randn(65536, device="cuda")
b = torch.empty_like(a, device=device)
c = torch.zeros(65536).cuda()
d = torch.zeros(65536).to("cuda:0", torch.float32)
e = torch.tensor([1.0], device=torch.device("cuda", 0)).to(device).to(0)
f = torch.zeros(8, device=0, pin_memory=True).cuda(non_blocking=True)
g = torch.randn(4, generator=torch.Generator(device="cuda").manual_seed(1), device="cuda")
run(a, b)
run(c, d, torch.cuda.current_stream())
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    run(a, b, stream=fx.Stream(torch.cuda.current_stream().cuda_stream))
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
for _ in range(3):
    run(a, b)
end.record()
torch.cuda.synchronize()
print(1e-9 * 65536 / (start.elapsed_time(end) * 1e-3), "GB/s")
torch.cuda.empty_cache()
free, total = torch.cuda.mem_get_info()
assert 0 < free <= total
print(torch.cuda.max_memory_allocated() / 2**20)
with torch.cuda.device(0):
    pass
torch.cuda.reset_peak_memory_stats()
torch.cuda.some_function_of_tomorrow(1, x=2)
torch.cuda.nvtx.range_push("x")
assert a.is_cuda and a.get_device() == 0 and torch.version.hip
torch.set_default_device("cuda")
assert torch.zeros(4).device == torch.zeros(4, device="cuda").device == a.device
with torch.device("cuda"):
    torch.ones(4)
""",
    )
    seen = run(source)
    assert (seen.outcome, seen.stage) == (Outcome.OK, Stage.DONE), seen.stderr
    assert len(seen.kernels) >= 1


def test_what_flyc_compile_gives_can_be_called(run: Run) -> None:
    source = COPY + "a = torch.zeros(65536)\nfast = flyc.compile(run, a, a)\nfast(a, a)\nfast(a, a)\n"
    seen = run(source)
    assert seen.outcome is Outcome.OK, seen.stderr


def test_the_arch_that_a_script_asks_for(run: Run) -> None:
    source = (
        HEAD + 'import sys\nassert torch.cuda.get_device_properties().gcnArchName == "gfx950"\nsys.exit(7)\n'
    )
    assert run(source, arch="gfx950").exit_code == 7


def test_torch_cuda_is_used_widely(run: Run) -> None:
    """Each line once asked for a GPU, or for what a stand-in did not have."""
    source = """
import io, sys
import torch

cuda = torch.cuda
x = torch.ones(4, 4, device="cuda")
one, two = cuda.Stream(), cuda.Stream(priority=-1)
two.wait_stream(one)
two.wait_event(one.record_event())
assert one == two and isinstance(cuda.current_stream(), cuda.Stream) and {one: 1}
x.record_stream(one)
torch.Stream(device="cuda").synchronize()
torch.Event(device="cuda").record()
graph = cuda.CUDAGraph()
with cuda.graph(graph, stream=one, pool=graph.pool()):
    x + 1
graph.replay()
cuda.make_graphed_callables(lambda x: x, (x,))(x)
board = cuda.get_device_properties(x.device)
assert board.max_threads_per_block >= 1024 and board.clock_rate > 0 and str(board.uuid)
assert cuda.utilization() + cuda.temperature() + cuda.device_memory_used() >= 0
cuda.default_generators[0].manual_seed(1)
cuda.set_rng_state(cuda.get_rng_state())
with torch.random.fork_rng(devices=[0]):
    x.normal_(generator=torch.Generator("cuda").manual_seed(1))


@torch.compile(mode="max-autotune")
def double(x):
    return x * 2


assert torch.compile(torch.nn.Linear(4, 4).cuda())(double(x)).device.type == "cuda"
assert cuda.FloatTensor(3).is_cuda and x.type("torch.cuda.HalfTensor").dtype == torch.float16
held = io.BytesIO()
torch.save(x, held)
for place in (None, "cuda", torch.device("cuda"), {"cpu": "cuda:0"}):
    held.seek(0)
    torch.load(held, map_location=place)
assert cuda.memory_stats()["allocated_bytes.all.peak"] == 0 and cuda.memory_summary()[:3] == ""
cuda.memory._record_memory_history()
with cuda.device(x.device), cuda.device_of(x), cuda.nvtx.range("x"), cuda.profiler.profile():
    cuda.profiler.start()
cuda._sleep(100)
assert torch._C._cuda_getCurrentRawStream(0) == 0
torch.accelerator.synchronize()
assert torch.accelerator.current_device_index() == 0 and torch.accelerator.is_available()
torch.empty(2, device=x.device).copy_(x[0, :2])
sys.exit(7)
"""
    seen = run(source)
    assert seen.exit_code == 7, seen.stderr


def test_large_random_tensors_are_as_asked_for(run: Run) -> None:
    source = (
        HEAD
        + """
for make in (torch.randn, torch.rand):
    for shape in ((1024, 1025), (3,), (1 << 18, 1), (0, 5)):
        for asked in (make(*shape, device="cuda"), make(shape, device=0, dtype=torch.bfloat16)):
            assert asked.shape == shape and asked.is_contiguous() and asked.is_cuda, (shape, asked.shape)
    many = make(size=[1 << 20], device="cuda", dtype=torch.float64)
    assert many.dtype == torch.float64 and len(many.unique()) > 1000
    assert torch.equal(many[: 1 << 18], many[1 << 18 : 1 << 19])
    assert not torch.equal(*make(2, 1 << 19, device="cpu"))
    assert make(1 << 20, device="cuda", requires_grad=True).is_leaf
    assert abs(many.mean()) < 0.6
assert 0.99 < torch.randn(1 << 20, device="cuda").std() < 1.01
"""
    )
    seen = run(source)
    assert seen.outcome is Outcome.OK, seen.stderr
