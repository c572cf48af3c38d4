"""A convolution in three dimensions as a GEMM, bf16."""

import torch
from kernels.conv.conv3d_implicit import conv3d_implicit

x = torch.zeros(1, 16, 4, 12, 16, dtype=torch.bfloat16, device="cuda")
weight = torch.zeros(384, 16, 3, 3, 3, dtype=torch.bfloat16, device="cuda")
bias = torch.zeros(384, device="cuda")
conv3d_implicit(x, weight, bias=bias, stride=1, padding=1)
