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
