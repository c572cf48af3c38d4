"""What a host does around a launch: devices, streams, arguments that are handed on. It is not run."""
import torch


def launch(a, b, stream=None):
    print(a, b, stream)


tensor = torch.empty(4, device="cuda")
moved = torch.empty(4).cuda()
arguments = (tensor, moved)
launch(*arguments, stream=torch.cuda.current_stream())
launch(*(moved, tensor))
