#!/usr/bin/env python3
"""Time ONNX files in PyTorch and in ONNX Runtime, interleaved, and print JSON lines.

  peers.py [--device cuda] [--rounds 12] [--compile] BEFORE.onnx [AFTER.onnx]

Each file becomes a PyTorch module, node by node, and runs eagerly or under torch.compile. A run
counts from inputs in the memory of the host to outputs there, as in taso. Products and convolutions
are computed in float32 (no TF32). The outputs of all files and systems are compared with those of
the first file in eager PyTorch.
"""
import argparse
import json
import statistics
import sys
import time

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def pads(a, sizes, kernel):
    """The pads of a window of two axes as PyTorch's F.pad takes them: left, right, top, bottom."""
    strides, dilations = a.get("strides", [1, 1]), a.get("dilations", [1, 1])
    auto = a.get("auto_pad", b"NOTSET").decode()
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        p = []
        for n, k, s, d in zip(sizes, kernel, strides, dilations):
            total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            low = total // 2 if auto == "SAME_UPPER" else total - total // 2
            p.append((low, total - low))
        (top, bottom), (left, right) = p
    elif auto == "VALID":
        top = left = bottom = right = 0
    else:
        top, left, bottom, right = a.get("pads", [0, 0, 0, 0])
    return [left, right, top, bottom]


def conv(a, x, w, b=None):
    p = pads(a, x.shape[2:], w.shape[2:])
    if p[0] == p[1] and p[2] == p[3]:
        padding = (p[2], p[0])
    else:
        x, padding = F.pad(x, p), 0
    return F.conv2d(x, w, b, a.get("strides", [1, 1]), padding, a.get("dilations", [1, 1]), a.get("group", 1))


def window(a, x):
    kernel, strides = a["kernel_shape"], a.get("strides", [1, 1])
    if a.get("ceil_mode"):
        raise NotImplementedError("a pool with ceil_mode")
    return kernel, strides, pads(a, x.shape[2:], kernel)


def maxpool(a, x):
    kernel, strides, p = window(a, x)
    return F.max_pool2d(F.pad(x, p, value=float("-inf")), kernel, strides)


def avgpool(a, x):
    kernel, strides, p = window(a, x)
    y = F.avg_pool2d(F.pad(x, p), kernel, strides)
    if a.get("count_include_pad") or not any(p):
        return y
    inside = torch.ones((1, 1, *x.shape[2:]), dtype=x.dtype, device=x.device)
    return y / F.avg_pool2d(F.pad(inside, p), kernel, strides)


def gemm(a, x, y, c=None):
    x, y = x.t() if a.get("transA") else x, y.t() if a.get("transB") else y
    out = a.get("alpha", 1.0) * (x @ y)
    return out if c is None else out + a.get("beta", 1.0) * c


def reshape(_, x, shape):
    to = [x.shape[i] if n == 0 else n for i, n in enumerate(shape)]
    return x.reshape(to)


def slices(_, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    at = [slice(None)] * x.ndim
    for i, axis in enumerate(axes):
        step = 1 if steps is None else steps[i]
        if step < 1:
            raise NotImplementedError("a slice with a negative step")
        at[axis] = slice(starts[i], ends[i], step)
    return x[tuple(at)]


def split(a, x, sizes=None):
    if sizes is None:
        raise NotImplementedError("a split without sizes")
    return torch.split(x, sizes, a.get("axis", 0))


def unsqueeze(_, x, axes):
    rank = x.ndim + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        x = x.unsqueeze(axis)
    return x


OPERATORS = {
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: x / y,
    "Relu": lambda a, x: F.relu(x), "Tanh": lambda a, x: torch.tanh(x), "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Neg": lambda a, x: -x, "Identity": lambda a, x: x, "Sqrt": lambda a, x: torch.sqrt(x), "Reciprocal": lambda a, x: 1 / x,
    "MatMul": lambda a, x, y: x @ y, "Gemm": gemm, "Conv": conv, "MaxPool": maxpool, "AveragePool": avgpool,
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "BatchNormalization": lambda a, x, s, b, m, v: F.batch_norm(x, m, v, s, b, False, 0.0, a.get("epsilon", 1e-5)),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]), "Transpose": lambda a, x: x.permute(a.get("perm", list(range(x.ndim))[::-1])),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)), "Reshape": reshape, "Slice": slices, "Split": split,
    "Expand": lambda a, x, shape: x.expand(torch.broadcast_shapes(x.shape, tuple(shape))),
    "Pad": lambda a, x, p: F.pad(x, [p[k] for i in range(x.ndim - 1, -1, -1) for k in (i, i + x.ndim)]),
    "Unsqueeze": unsqueeze,
    "Squeeze": lambda a, x, axes: x.squeeze(tuple(axes)),
    "Max": lambda a, x, y: torch.maximum(x, y), "Min": lambda a, x, y: torch.minimum(x, y),
}
# Operands that are shapes, positions or pads are lists of numbers: only weights are tensors.
HOST = {"Reshape": {1}, "Slice": {1, 2, 3, 4}, "Split": {1}, "Expand": {1}, "Pad": {1}, "Unsqueeze": {1}, "Squeeze": {1}}


class Network(torch.nn.Module):
    """An ONNX graph as a module that runs its nodes in their order."""

    def __init__(self, path, device):
        super().__init__()
        graph = onnx.load(path).graph
        self.nodes, self.host = [], {}
        kept = {}
        constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        for n in graph.node:
            if n.op_type == "Constant":
                constants[n.output[0]] = numpy_helper.to_array(attributes(n)["value"])
                continue
            if n.op_type not in OPERATORS:
                raise NotImplementedError(f"operator {n.op_type}")
            names = []
            for i, x in enumerate(n.input):
                if x in constants and i in HOST.get(n.op_type, ()):
                    self.host[x] = constants[x].tolist()
                elif x in constants and x not in kept:
                    kept[x] = f"w{len(kept)}"
                    self.register_buffer(kept[x], torch.from_numpy(constants[x].copy()).to(device))
                names.append(x)
            self.nodes.append((n.op_type, attributes(n), names, list(n.output)))
        self.kept = kept
        self.inputs = [(i.name, [d.dim_value for d in i.type.tensor_type.shape.dim]) for i in graph.input if i.name not in constants]
        self.outputs = [o.name for o in graph.output]

    def forward(self, *xs):
        values = {name: x for (name, _), x in zip(self.inputs, xs)}
        for name, attribute in self.kept.items():
            values[name] = getattr(self, attribute)
        for op, a, inputs, outputs in self.nodes:
            args = [None if x == "" else self.host[x] if i in HOST.get(op, ()) else values[x] for i, x in enumerate(inputs)]
            y = OPERATORS[op](a, *args)
            values.update(zip(outputs, y if isinstance(y, (tuple, list)) else (y,)))
        return tuple(values[o] for o in self.outputs)


def torch_runner(path, device, compiled):
    net = Network(path, device).eval()
    f = torch.compile(net) if compiled else net

    def run(xs):
        with torch.inference_mode():
            return [y.cpu().numpy() for y in f(*[torch.from_numpy(x).to(device) for x in xs])]
    return net.inputs, run


def ort_runner(path):
    import onnxruntime
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        raise NotImplementedError("this onnxruntime has no CUDA provider")
    session = onnxruntime.InferenceSession(path, providers=["CUDAExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return lambda xs: session.run(None, dict(zip(names, xs)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--device", default="cuda")
    p.add_argument("--rounds", type=int, default=12)
    p.add_argument("--compile", action="store_true")
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True  # PyTorch chooses its algorithms by measuring, too
    torch.set_num_threads(1)

    def say(**record):
        print(json.dumps(record), flush=True)

    say(torch=torch.__version__, device=torch.cuda.get_device_name() if args.device == "cuda" else "cpu")
    runners, xs, want = {}, None, None
    for i, path in enumerate(args.files):
        form = ("before", "after")[i] if len(args.files) <= 2 else path
        systems = {"torch.compile" if args.compile else "torch eager": lambda p=path: torch_runner(p, args.device, args.compile)}
        if not args.compile and args.device == "cuda":
            systems["onnxruntime cuda"] = lambda p=path: (None, ort_runner(p))
        for system, make in systems.items():
            try:
                began = time.perf_counter()
                inputs, run = make()
                if xs is None:
                    rng = np.random.default_rng(1)
                    xs = [rng.uniform(-1, 1, shape).astype(np.float32) for _, shape in inputs]
                got = run(xs)
                if want is None:
                    want = got
                off = max(float(np.abs(g - w).max() / max(np.abs(w).max(), 1e-30)) for g, w in zip(got, want))
                for _ in range(3):
                    run(xs)
                runners[system, form] = run
                say(system=system, form=form, seconds_to_prepare=time.perf_counter() - began, deviation=off)
            except (NotImplementedError, ImportError) as e:
                say(system=system, form=form, skipped=str(e))
            except Exception as e:  # one system that fails must not cost the others
                say(system=system, form=form, failed=f"{type(e).__name__}: {e}"[:1000])
    times = {k: [] for k in runners}
    for _ in range(args.rounds):
        for k, run in runners.items():
            several = []
            for _ in range(5):
                began = time.perf_counter()
                run(xs)
                several.append(time.perf_counter() - began)
            times[k].append(statistics.median(several))
    for (system, form), t in times.items():
        say(system=system, form=form, seconds=statistics.median(t), rounds=[float(f"{x:.4g}") for x in t])


if __name__ == "__main__":
    sys.exit(main())
