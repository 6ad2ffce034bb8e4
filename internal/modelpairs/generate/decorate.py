"""Random nodes before and behind a base model, so that it is a small graph of 2 to 6 nodes."""

import numpy as np
from onnx import helper

from cases import NUMBER
from editing import node

UNARY = ["Neg", "Abs", "Relu", "Sigmoid", "Tanh", "Identity", "Sign", "Floor", "Ceil", "Round", "Softplus", "Elu", "LeakyRelu", "HardSigmoid",
         "HardSwish", "Softsign", "Sin", "Cos", "Erf"]


def reduce(g, op, x, out, axes, keep):
    """A reduction, spelled as the operator set wants it."""
    if op == "ReduceSum" or g.version >= 18:
        return node(op, [x, g.const(np.array(axes, np.int64))], out, keepdims=keep)
    return node(op, [x], out, axes=axes, keepdims=keep)


def step(rng, g, name):
    """A random node behind a value; returns its result's name and value (by numpy, so that
    only shape and type count)."""
    v = g.values[name]
    out = g.fresh("d")
    k = v.dtype.kind
    n, w = None, v
    r = rng.random()
    if v.ndim >= 2 and r < 0.12:
        perm = list(range(v.ndim))
        rng.shuffle(perm)
        n, w = [node("Transpose", name, out, perm=perm)], v.transpose(perm)
    elif v.ndim >= 1 and r < 0.18:
        n, w = [node("Reshape", [name, g.const(np.array([-1], np.int64))], out)], v.reshape(-1)
    elif v.ndim >= 1 and r < 0.26 and v.shape[0] > 1:
        lo, hi = (0, v.shape[0] - 1) if rng.random() < 0.5 else (1, v.shape[0])
        n, w = [node("Slice", [name] + [g.const(np.array([x], np.int64)) for x in (lo, hi, 0)], out)], v[lo:hi]
    elif k == "f":
        if r < 0.5:
            n = [node(rng.choice(UNARY if v.dtype != np.float16 else UNARY[:7]), name, out)]
        elif r < 0.62:
            c = np.array(rng.choice([0.5, 2, -1.5, 3, 0.25]), v.dtype)
            n = [node(rng.choice(["Add", "Mul", "Sub", "Div", "Max", "Min"]), [name, g.const(c)], out)]
        elif r < 0.72 and v.ndim >= 1:
            c = np.array([rng.uniform(-2, 2) for _ in range(v.shape[-1])]).astype(v.dtype)
            ins = [name, g.const(c)]
            rng.shuffle(ins)
            n = [node(rng.choice(["Add", "Mul", "Sub", "Max", "Min"]), ins, out)]
        elif r < 0.82 and v.ndim >= 1:
            axis = rng.randrange(v.ndim)
            keep = rng.randrange(2)
            op = rng.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare"])
            if rng.random() < 0.3:
                axis = axis - v.ndim
            n, w = [reduce(g, op, name, out, [axis], keep)], v.sum(axis=axis, keepdims=bool(keep)).astype(v.dtype)
        elif r < 0.88 and v.ndim >= 1:
            n = [node("Softmax", name, out, axis=rng.randrange(v.ndim))]
        elif r < 0.94:
            lo, hi = sorted([rng.uniform(-3, 3), rng.uniform(-3, 3)])
            n = [node("Clip", [name, g.const(np.array(lo, v.dtype)), g.const(np.array(hi, v.dtype))], out)]
        elif v.ndim >= 1:
            n, w = [node("Concat", [name, name], out, axis=rng.randrange(v.ndim))], v
            w = np.concatenate([v, v], n[0].attribute[0].i)
        else:
            n = [node("Neg", name, out)]
    elif k == "b":
        if r < 0.5:
            n = [node("Not", name, out)]
        else:
            t = rng.choice([1, 6, 7])
            w = v.astype({1: np.float32, 6: np.int32, 7: np.int64}[t])
            n = [node("Cast", name, out, to=t)]
    else:
        if v.dtype in (np.int32, np.int64) and r < 0.7:
            c = np.array(rng.choice([1, 2, 3, -2]), v.dtype)
            n = [node(rng.choice(["Add", "Mul", "Sub", "Max", "Min"] if v.dtype == np.int64 else ["Add", "Mul", "Sub"]), [name, g.const(c)], out)]
        else:
            t = rng.choice([1, 6, 7])
            w = v.astype({1: np.float32, 6: np.int32, 7: np.int64}[t])
            n = [node("Cast", name, out, to=t)]
    g.insert(len(g.g.node), n)
    g.values[out] = w
    return out


def before(rng, g):
    """A random node of one element before a float input of the base's nodes."""
    names = [i.name for i in g.g.input if g.values[i.name].dtype.kind == "f" and g.values[i.name].size]
    if not names:
        return
    name = rng.choice(names)
    if name not in g.edges():
        return
    ops = [("Neg", {}), ("Abs", {}), ("Relu", {}), ("Tanh", {}), ("mul", {}), ("add", {}), ("Sigmoid", {}), ("Identity", {})]
    op, _ = rng.choice(ops)
    v = g.values[name]

    def make(source, target):
        g.values[target] = v
        if op == "mul":
            return [node("Mul", [source, g.const(np.array(rng.choice([0.5, 2, -1]), v.dtype))], target)]
        if op == "add":
            return [node("Add", [source, g.const(np.array(rng.choice([0.5, 1, -2]), v.dtype))], target)]
        return [node(op, source, target)]

    g.behind(rng, name, make)


def grow(rng, g):
    """Up to five random nodes more."""
    if len(g.g.node) <= 3 and rng.random() < 0.4:
        before(rng, g)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        i = rng.randrange(len(g.g.output))
        name = g.g.output[i].name
        if name not in g.values or g.values[name].size == 0 or len(g.g.node) > 12:
            return
        new = step(rng, g, name)
        if rng.random() < 0.15 and g.values[new].shape == g.values[name].shape and g.values[new].dtype == g.values[name].dtype \
                and g.values[new].dtype in (np.float32, np.int64):
            both = g.fresh("d")
            g.insert(len(g.g.node), [node(rng.choice(["Add", "Mul", "Sub"]), [name, new], both)])
            g.values[both] = g.values[new]
            new = both
        g.g.output[i].name = new


def feed(rng, g):
    """Adds an input to a model that has none: its first output, plus what is fed."""
    name = g.g.output[0].name
    v = g.values.get(name)
    if v is None or v.dtype.kind not in "fiub" or v.size == 0:
        return False
    if v.dtype not in (np.float32, np.int64):
        cast = g.fresh("d")
        g.insert(len(g.g.node), [node("Cast", name, cast, to=1)])
        name, v = cast, v.astype(np.float32)
    x = np.array([rng.randint(-3, 3) for _ in range(v.size)], v.dtype).reshape(v.shape)
    g.g.input.append(helper.make_tensor_value_info("more", NUMBER[v.dtype], v.shape))
    g.feeds["more"] = g.values["more"] = x
    out = g.fresh("d")
    g.insert(len(g.g.node), [node("Add", [name, "more"], out)])
    g.values[out] = v
    g.g.output[0].name = out
    return True
