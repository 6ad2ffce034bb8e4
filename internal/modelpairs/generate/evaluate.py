"""Both judges: ONNX Runtime without optimizations, and the ONNX reference implementation."""

import signal
import warnings

import ml_dtypes  # noqa: F401  (types that numpy does not have)
import numpy as np
import onnx
import onnxruntime as ort
from onnx.reference import ReferenceEvaluator

from cases import NUMBER

warnings.simplefilter("ignore")
np.seterr(all="ignore")
ort.set_default_logger_severity(4)

OPTIONS = ort.SessionOptions()
OPTIONS.log_severity_level = 4
OPTIONS.intra_op_num_threads = 1
OPTIONS.inter_op_num_threads = 1
OPTIONS.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL


class Invalid(Exception):
    """A model that a judge does not take, or inputs on which it fails."""


# Seconds of processor time that the reference may take: some loops do not end.
LONGEST = 3


def _late(*_):
    raise TimeoutError("the reference takes too long")


signal.signal(signal.SIGVTALRM, _late)


def by_reference(ref, feeds, **kw):
    """What the reference computes. It comes first, as it can be stopped."""
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        return ref.run(None, feeds, **kw)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class Model:
    """A model in both judges."""

    def __init__(self, model):
        self.model = model
        raw = model.SerializeToString()
        self.raw = raw
        try:
            onnx.checker.check_model(model)
            self.ort = ort.InferenceSession(raw, OPTIONS, providers=["CPUExecutionProvider"])
            self.ref = ReferenceEvaluator(model)
        except Exception as e:
            raise Invalid(str(e)) from e

    def run(self, feeds):
        """The outputs of both, or Invalid."""
        try:
            b = by_reference(self.ref, feeds)
            a = self.ort.run(None, feeds)
        except Exception as e:
            raise Invalid(str(e)) from e
        b = [np.asarray(x) if np.isscalar(x) or isinstance(x, np.generic) else x for x in b]
        for x in a + b:
            if not isinstance(x, np.ndarray) or x.dtype not in NUMBER:
                raise Invalid("an output is not a tensor of numbers")
        return a, b

    def values(self, feeds):
        """All values of the top graph, by the reference."""
        try:
            vals = by_reference(self.ref, feeds, intermediate=True)
        except Exception as e:
            raise Invalid(str(e)) from e
        out = {}
        for name, x in vals.items():
            if isinstance(x, (np.ndarray, np.generic)) and np.asarray(x).dtype in NUMBER:
                out[name] = np.asarray(x)
        return out


def deviation(a, b):
    """The largest deviation of a list of outputs, relative to the output's largest element;
    infinite if types or shapes differ, or one is a number where the other is none."""
    if len(a) != len(b):
        return np.inf
    worst = 0.0
    for x, y in zip(a, b):
        if x.dtype != y.dtype or x.shape != y.shape:
            return np.inf
        if x.dtype.kind in "biu":
            # float64 does not hold all integers of 64 bits
            if (x != y).any():
                d = [abs(int(p) - int(q)) for p, q in zip(x.ravel(), y.ravel())]
                most = max([abs(int(p)) for p in x.ravel()] + [abs(int(q)) for q in y.ravel()] + [1])
                worst = max(worst, max(d) / most)
            continue
        x, y = x.astype(np.float64), y.astype(np.float64)
        fx, fy = np.isfinite(x), np.isfinite(y)
        same = np.where(fx & fy, True, (x == y) | (np.isnan(x) & np.isnan(y)))
        if not same.all():
            return np.inf
        both = fx & fy
        if both.any():
            d = np.abs(x[both] - y[both]).max()
            most = max(np.abs(x[both]).max(), np.abs(y[both]).max())
            worst = max(worst, d / most if d > 0 else 0)
    return worst


def finite(outs):
    return all(np.isfinite(x.astype(np.float64)).all() for x in outs)


# Deviations that rounding explains, and that no rounding explains, by the narrowest float type.
WITHIN = {np.dtype(np.float64): 1e-4, np.dtype(np.float32): 1e-4, np.dtype(np.float16): 1e-2}
BEYOND = {np.dtype(np.float64): 1e-2, np.dtype(np.float32): 1e-2, np.dtype(np.float16): 5e-2}


def narrowest(*values):
    """The narrowest float type among values."""
    types = [v.dtype for vs in values for v in vs.values() if v.dtype.kind == "f"]
    return min(types, key=lambda d: d.itemsize, default=np.dtype(np.float32))
