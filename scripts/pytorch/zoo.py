"""The list of models, and how each becomes an ONNX file."""
import dataclasses
import io
import os
import typing
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import onnx
import torch

OPSET = {"trace": 17, "dynamo": 20}  # torch.onnx.export by tracing, and by torch.export


@dataclasses.dataclass
class Part:
    """A network with an input and names of what goes in and out."""
    net: torch.nn.Module
    args: list
    inputs: list
    outputs: list


@dataclasses.dataclass
class Model:
    name: str
    kind: str
    note: str
    build: typing.Callable[[], Part]
    tolerance: float  # of our outputs beside ONNX Runtime's, relative to the largest element
    after: typing.Callable | None  # what is done to the file: PATH, inputs by name
    trace: bool  # whether torch.onnx.export by tracing takes it

    def ways(self):
        return ["trace", "dynamo"] if self.trace else ["dynamo"]

    def choose(self, exporter, i):
        """The exporters to take: of "either", one model in two is traced."""
        if exporter == "either":
            exporter = "dynamo" if i % 2 or not self.trace else "trace"
        return [w for w in self.ways() if exporter in (w, "both")]


MODELS = {}


def model(name, kind, note="", tolerance=1e-4, after=None, trace=True):
    """Registers a function that builds a Part as the model of a name."""
    def register(build):
        if name in MODELS:
            raise ValueError(f"two models {name}")
        MODELS[name] = Model(name, kind, note, build, tolerance, after, trace)
        return build
    return register


def exported(m, folder, way, again, sources):
    """The file NAME-WAY.onnx of a model and those of its inputs by name, made unless they are there and newer than the sources."""
    path = os.path.join(folder, f"{m.name}-{way}.onnx")
    made = max(os.path.getmtime(os.path.join(sources, f)) for f in os.listdir(sources) if f.endswith(".py"))
    if again or not os.path.exists(path) or os.path.getmtime(path) < made:
        export(m, folder, way)
    prefix, end = f"{m.name}-{way}.", ".npy"
    return path, {f[len(prefix):-len(end)]: os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.startswith(prefix) and f.endswith(end)}


def heard(part):
    """Fails where the outputs hardly depend on the inputs: then any numbers would agree."""
    def outs(args):
        got = part.net(*args)
        return [got] if isinstance(got, torch.Tensor) else list(got)
    others = [torch.randn_like(a) if a.is_floating_point() else torch.flip(a, [-1]) for a in part.args]
    with torch.no_grad():
        for x, y in zip(outs(part.args), outs(others)):
            if not (x - y).abs().max() > 1e-2 * x.abs().max():
                raise RuntimeError("its outputs hardly depend on its inputs")


def export(m, folder, way):
    dynamo = way == "dynamo"
    path = os.path.join(folder, f"{m.name}-{way}.onnx")
    for f in os.listdir(folder):
        if f.startswith(f"{m.name}-{way}."):
            os.remove(os.path.join(folder, f))
    torch.manual_seed(1)
    part = m.build()
    part.net.eval()
    heard(part)
    warnings.simplefilter("ignore")
    said = io.StringIO()
    new = path + ".part"
    try:
        with torch.no_grad(), redirect_stdout(said), redirect_stderr(said):
            torch.onnx.export(part.net, tuple(part.args), new, dynamo=dynamo, opset_version=OPSET[way], verbose=False,
                              input_names=part.inputs, output_names=part.outputs, external_data=False)
        have = {i.name for i in onnx.load(new, load_external_data=False).graph.input}
        feeds = {n: a.numpy() for n, a in zip(part.inputs, part.args) if n in have}
        if m.after:
            m.after(new, feeds)
    except Exception as e:
        raise RuntimeError(f"{type(e).__name__}: {str(e)[:400]}") from e
    for n, a in feeds.items():
        np.save(os.path.join(folder, f"{m.name}-{way}.{n}.npy"), a)
    os.replace(new, path)
