"""Other forms of one node that compute the same real numbers."""

import numpy as np
from onnx import helper

from decorate import reduce
from editing import node

FORMS = {}


def form(*ops):
    def add(f):
        for op in ops:
            FORMS.setdefault(op, []).append(f)
        return f
    return add


def attr(n, name, default=None):
    return next((helper.get_attribute_value(a) for a in n.attribute if a.name == name), default)


def apply(rng, g):
    """Puts another form in the place of a node that has one."""
    ns = [n for n in g.g.node if n.op_type in FORMS and all(x in g.values for x in n.input if x) and all(o in g.values for o in n.output if o)]
    if not ns:
        return False
    n = rng.choice(ns)
    made = rng.choice(FORMS[n.op_type])(rng, g, n)
    if not made:
        return False
    g.replace(n, made)
    return True


class Nodes(list):
    """Nodes in the making: each call adds one and returns its output."""

    def __init__(self, g):
        super().__init__()
        self.g = g

    def __call__(self, op, *ins, out=None, **attributes):
        out = out or self.g.fresh("f")
        self.append(node(op, list(ins), out, **attributes))
        return out


def like(g, name, x):
    return g.const(np.array(x, g.values[name].dtype))


@form("Relu")
def relu(rng, g, n):
    x, y, f = n.input[0], n.output[0], Nodes(g)
    if g.values[x].dtype.kind != "f":
        return None
    r = rng.randrange(4)
    if r == 0:
        f("Max", x, like(g, x, 0), out=y)
    elif r == 1:
        f("Clip", x, like(g, x, 0), out=y)
    elif r == 2:
        f("Where", f("Less", x, like(g, x, 0)), like(g, x, 0), x, out=y)
    else:
        f("Neg", f("Min", f("Neg", x), like(g, x, 0)), out=y)
    return f


@form("Clip")
def clip(rng, g, n):
    if g.version < 12 or g.values[n.input[0]].dtype == np.bool_:
        return None
    lo = n.input[1] if len(n.input) > 1 else ""
    hi = n.input[2] if len(n.input) > 2 else ""
    f, x = Nodes(g), n.input[0]
    if lo:
        x = f("Max", x, lo)
    if hi:
        x = f("Min", hi, x)
    f("Identity", x, out=n.output[0])
    return f


@form("Gemm")
def gemm(rng, g, n):
    f, (a, b) = Nodes(g), n.input[:2]
    if g.values[a].dtype.kind != "f":
        return None
    if attr(n, "transA", 0):
        a = f("Transpose", a, perm=[1, 0])
    if attr(n, "transB", 0):
        b = f("Transpose", b, perm=[1, 0])
    y = f("MatMul", a, b)
    y = f("Mul", y, like(g, n.input[0], attr(n, "alpha", 1.0)))
    if len(n.input) > 2 and n.input[2]:
        y = f("Add", f("Mul", like(g, n.input[0], attr(n, "beta", 1.0)), n.input[2]), y)
    f("Identity", y, out=n.output[0])
    return f


@form("MatMul")
def matmul(rng, g, n):
    a, b = (g.values[x] for x in n.input)
    f = Nodes(g)
    if a.dtype != np.float32 or a.ndim < 1 or b.ndim < 1:
        return None
    if a.ndim == b.ndim >= 2 and a.shape[:-2] == b.shape[:-2]:
        lead = "ab"[: a.ndim - 2]
        if a.ndim <= 4 and rng.random() < 0.5:
            f("Einsum", *n.input, out=n.output[0], equation=f"{lead}ij,{lead}jk->{lead}ik")
        else:
            p = list(range(a.ndim - 2)) + [a.ndim - 1, a.ndim - 2]
            f("Transpose", f("MatMul", f("Transpose", n.input[1], perm=p), f("Transpose", n.input[0], perm=p)), out=n.output[0], perm=p)
        return f
    return None


@form("Softmax", "LogSoftmax")
def softmax(rng, g, n):
    x, f = n.input[0], Nodes(g)
    axis = attr(n, "axis", -1)
    e = f("Exp", f("Sub", x, f("ReduceMax", x, axes=[axis]) if g.version < 18 else f("ReduceMax", x, g.const(np.array([axis], np.int64)))))
    q = f("Div", e, f("ReduceSum", e, g.const(np.array([axis], np.int64))))
    f("Log" if n.op_type == "LogSoftmax" else "Identity", q, out=n.output[0])
    if n.op_type == "LogSoftmax" and rng.random() < 0.5:
        f = Nodes(g)
        f("Log", f("Softmax", x, axis=axis), out=n.output[0])
    return f


@form("Sigmoid")
def sigmoid(rng, g, n):
    x, f = n.input[0], Nodes(g)
    if rng.random() < 0.5:
        f("Div", like(g, x, 1), f("Add", like(g, x, 1), f("Exp", f("Neg", x))), out=n.output[0])
    else:
        f("Sub", like(g, x, 1), f("Sigmoid", f("Neg", x)), out=n.output[0])
    return f


@form("Tanh")
def tanh(rng, g, n):
    x, f = n.input[0], Nodes(g)
    if rng.random() < 0.5:
        f("Neg", f("Tanh", f("Neg", x)), out=n.output[0])
    else:
        f("Sub", f("Mul", like(g, x, 2), f("Sigmoid", f("Mul", x, like(g, x, 2)))), like(g, x, 1), out=n.output[0])
    return f


@form("Sin", "Erf", "Atan", "Asinh", "Sinh", "Tan", "Softsign")
def odd(rng, g, n):
    f = Nodes(g)
    f("Neg", f(n.op_type, f("Neg", n.input[0])), out=n.output[0])
    return f


@form("Cos", "Cosh")
def even(rng, g, n):
    f = Nodes(g)
    f(n.op_type, f("Neg" if rng.random() < 0.5 else "Abs", n.input[0]), out=n.output[0])
    return f


@form("Softplus")
def softplus(rng, g, n):
    f, x = Nodes(g), n.input[0]
    if rng.random() < 0.5:
        f("Log", f("Add", f("Exp", x), like(g, x, 1)), out=n.output[0])
    else:
        f("Add", x, f("Softplus", f("Neg", x)), out=n.output[0])
    return f


@form("HardSwish")
def hardswish(rng, g, n):
    f, x = Nodes(g), n.input[0]
    if rng.random() < 0.5:
        f("Mul", x, f("HardSigmoid", x, alpha=1 / 6, beta=0.5), out=n.output[0])
    else:
        f("Div", f("Mul", x, f("Clip", f("Add", x, like(g, x, 3)), like(g, x, 0), like(g, x, 6))), like(g, x, 6), out=n.output[0])
    return f


@form("HardSigmoid")
def hardsigmoid(rng, g, n):
    f, x = Nodes(g), n.input[0]
    y = f("Add", f("Mul", x, like(g, x, attr(n, "alpha", 0.2))), like(g, x, attr(n, "beta", 0.5)))
    f("Clip", y, like(g, x, 0), like(g, x, 1), out=n.output[0])
    return f


@form("LeakyRelu")
def leaky(rng, g, n):
    f, x = Nodes(g), n.input[0]
    a = like(g, x, attr(n, "alpha", 0.01))
    r = rng.randrange(3)
    if r == 0:
        f("PRelu", x, a, out=n.output[0])
    elif r == 1:
        f("Where", f("Less", x, like(g, x, 0)), f("Mul", a, x), x, out=n.output[0])
    else:
        f("Add", f("Relu", x), f("Mul", a, f("Min", x, like(g, x, 0))), out=n.output[0])
    return f


@form("Abs")
def absolute(rng, g, n):
    f, x = Nodes(g), n.input[0]
    if g.values[x].dtype not in (np.float32, np.float64):
        return None
    r = rng.randrange(3)
    if r == 0:
        f("Max", x, f("Neg", x), out=n.output[0])
    elif r == 1:
        f("Add", f("Relu", x), f("Relu", f("Neg", x)), out=n.output[0])
    else:
        f("Mul", x, f("Sign", x), out=n.output[0])
    return f


@form("Sub")
def sub(rng, g, n):
    f, (a, b) = Nodes(g), n.input
    if g.values[a].dtype not in (np.float32, np.float64, np.int32, np.int64):
        return None
    if rng.random() < 0.5:
        f("Add", a, f("Neg", b), out=n.output[0])
    else:
        f("Neg", f("Sub", b, a), out=n.output[0])
    return f


@form("Add", "Mul")
def add(rng, g, n):
    f, (a, b) = Nodes(g), n.input
    if g.values[a].dtype not in (np.float32, np.float64, np.int32, np.int64):
        return None
    if n.op_type == "Add":
        f("Sub", a, f("Neg", b), out=n.output[0])
    elif rng.random() < 0.5:
        f("Neg", f("Mul", f("Neg", a), b), out=n.output[0])
    else:
        f("Mul", f("Neg", b), f("Neg", a), out=n.output[0])
    return f


@form("Div")
def div(rng, g, n):
    f, (a, b) = Nodes(g), n.input
    if g.values[a].dtype not in (np.float32, np.float64):
        return None
    if rng.random() < 0.5:
        f("Mul", a, f("Reciprocal", b), out=n.output[0])
    else:
        f("Neg", f("Div", f("Neg", a), b), out=n.output[0])
    return f


@form("Max", "Min")
def maximum(rng, g, n):
    other, f = ("Min" if n.op_type == "Max" else "Max"), Nodes(g)
    if g.values[n.input[0]].dtype not in (np.float32, np.float64, np.int32, np.int64):
        return None
    if len(n.input) > 2 and rng.random() < 0.6:
        x = n.input[0]
        for y in n.input[1:]:
            x = f(n.op_type, x, y)
        f("Identity", x, out=n.output[0])
    elif len(n.input) == 2 and rng.random() < 0.4:
        f("Where", f("Less" if n.op_type == "Min" else "Greater", *n.input), n.input[0], n.input[1], out=n.output[0])
    else:
        f("Neg", f(other, *[f("Neg", x) for x in n.input]), out=n.output[0])
    return f


@form("Sum", "Mean")
def many(rng, g, n):
    f, x = Nodes(g), n.input[0]
    for y in n.input[1:]:
        x = f("Add", x, y)
    if n.op_type == "Mean":
        x = f("Div", x, like(g, n.input[0], len(n.input)))
    f("Identity", x, out=n.output[0])
    return f


@form("Less", "Greater", "LessOrEqual", "GreaterOrEqual")
def compare(rng, g, n):
    turn = {"Less": "Greater", "Greater": "Less", "LessOrEqual": "GreaterOrEqual", "GreaterOrEqual": "LessOrEqual"}
    inverse = {"Less": "GreaterOrEqual", "Greater": "LessOrEqual", "LessOrEqual": "Greater", "GreaterOrEqual": "Less"}
    f, (a, b) = Nodes(g), n.input
    r = rng.randrange(3)
    if r == 0:
        f(turn[n.op_type], b, a, out=n.output[0])
    elif r == 1 or g.values[a].dtype.kind not in "fi" or g.values[a].dtype.itemsize < 4:
        f("Not", f(inverse[n.op_type], a, b), out=n.output[0])
    else:
        f(turn[n.op_type], f("Neg", a), f("Neg", b), out=n.output[0])
    return f


@form("And", "Or", "Xor", "Not")
def logic(rng, g, n):
    f = Nodes(g)
    if n.op_type == "Not":
        f("Equal", n.input[0], g.const(np.array(False)), out=n.output[0])
    elif n.op_type == "Xor":
        a, b = n.input
        if rng.random() < 0.5:
            f("Not", f("Equal", a, b), out=n.output[0])
        else:
            f("Or", f("And", a, f("Not", b)), f("And", f("Not", a), b), out=n.output[0])
    else:
        f("Not", f("Or" if n.op_type == "And" else "And", *[f("Not", x) for x in n.input]), out=n.output[0])
    return f


@form("Where")
def where(rng, g, n):
    f, (c, a, b) = Nodes(g), n.input
    f("Where", f("Not", c), b, a, out=n.output[0])
    return f


@form("Pow")
def power(rng, g, n):
    f, (x, k) = Nodes(g), n.input
    k = g.constant(k)
    if k is None or k.size != 1 or g.values[x].dtype.kind != "f" or k.ndim > g.values[x].ndim:
        return None
    if k == 2:
        f("Mul", x, x, out=n.output[0])
    elif k == 3:
        f("Mul", f("Mul", x, x), x, out=n.output[0])
    elif k == 0.5:
        f("Sqrt", x, out=n.output[0])
    else:
        return None
    return f


@form("Sqrt")
def root(rng, g, n):
    f = Nodes(g)
    f("Pow", n.input[0], like(g, n.input[0], 0.5), out=n.output[0])
    return f


@form("Reciprocal")
def reciprocal(rng, g, n):
    f = Nodes(g)
    f("Div", like(g, n.input[0], 1), n.input[0], out=n.output[0])
    return f


@form("Flatten", "Squeeze", "Unsqueeze", "Reshape")
def shapes(rng, g, n):
    f, s = Nodes(g), g.values[n.output[0]].shape
    if n.op_type == "Reshape" and len(s) >= 2:
        f("Squeeze", f("Reshape", n.input[0], g.const(np.array((1,) + s, np.int64))), g.const(np.array([0], np.int64)), out=n.output[0])
    else:
        f("Reshape", n.input[0], g.const(np.array(s, np.int64)), out=n.output[0])
    return f


@form("Split")
def splits(rng, g, n):
    f, axis, at = Nodes(g), attr(n, "axis", 0), 0
    for o in n.output:
        if not o:
            return None
        size = g.values[o].shape[axis]
        f("Slice", n.input[0], *[g.const(np.array([x], np.int64)) for x in (at, at + size, axis)], out=o)
        at += size
    return f


@form("Concat")
def concat(rng, g, n):
    f, axis = Nodes(g), attr(n, "axis")
    v = g.values[n.output[0]]
    if len(n.input) > 2:
        f("Concat", f("Concat", *n.input[:2], axis=axis), *n.input[2:], out=n.output[0], axis=axis)
    elif v.ndim >= 2:
        perm = list(range(v.ndim))
        rng.shuffle(perm)
        y = f("Concat", *[f("Transpose", x, perm=perm) for x in n.input], axis=perm.index(axis % v.ndim))
        f("Transpose", y, out=n.output[0], perm=[perm.index(i) for i in range(v.ndim)])
    else:
        return None
    return f


@form("DepthToSpace")
def depth(rng, g, n):
    f, (b, c, h, w) = Nodes(g), g.values[n.input[0]].shape
    k = attr(n, "blocksize")
    if attr(n, "mode", b"DCR") == b"DCR":
        s, p = [b, k, k, c // k**2, h, w], [0, 3, 4, 1, 5, 2]
    else:
        s, p = [b, c // k**2, k, k, h, w], [0, 1, 4, 2, 5, 3]
    y = f("Transpose", f("Reshape", n.input[0], g.const(np.array(s, np.int64))), perm=p)
    f("Reshape", y, g.const(np.array([b, c // k**2, h * k, w * k], np.int64)), out=n.output[0])
    return f


@form("GlobalAveragePool", "GlobalMaxPool")
def globalpool(rng, g, n):
    f, r = Nodes(g), g.values[n.input[0]].ndim
    f.append(reduce(g, "ReduceMean" if "Average" in n.op_type else "ReduceMax", n.input[0], n.output[0], list(range(2, r)), 1))
    return f


@form("ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "ReduceMin", "ReduceMax", "ReduceSum", "ReduceProd")
def reductions(rng, g, n):
    x, y, f = n.input[0], n.output[0], Nodes(g)
    v = g.values[x]
    if v.dtype not in (np.float32, np.float64) or v.size == 0:
        return None
    axes = attr(n, "axes")
    if len(n.input) > 1 and n.input[1]:
        if (axes := g.constant(n.input[1])) is None:
            return None
        axes = axes.tolist()
    if not axes:
        if attr(n, "noop_with_empty_axes", 0):
            return None
        axes = list(range(v.ndim))
    keep = attr(n, "keepdims", 1)

    def over(op, z, out=None):
        out = out or g.fresh("f")
        f.append(reduce(g, op, z, out, axes, keep))
        return out

    count = int(np.prod([v.shape[a] for a in axes]))
    if n.op_type == "ReduceMean":
        f("Div", over("ReduceSum", x), like(g, x, count), out=y)
    elif n.op_type == "ReduceSum":
        if rng.random() < 0.5 or len(axes) < 2 or any(a < 0 for a in axes):
            f("Mul", over("ReduceMean", x), like(g, x, count), out=y)
        else:
            z = x
            for a in sorted(axes, reverse=True):
                z2 = g.fresh("f")
                f.append(reduce(g, "ReduceSum", z, z2, [a], keep))
                z = z2
            f("Identity", z, out=y)
    elif n.op_type == "ReduceL1":
        over("ReduceSum", f("Abs", x), y)
    elif n.op_type == "ReduceL2":
        if rng.random() < 0.5:
            f("Sqrt", over("ReduceSumSquare", x), out=y)
        else:
            f("Sqrt", over("ReduceSum", f("Mul", x, x)), out=y)
    elif n.op_type == "ReduceSumSquare":
        over("ReduceSum", f("Mul", x, x), y)
    elif n.op_type == "ReduceLogSum":
        f("Log", over("ReduceSum", x), out=y)
    elif n.op_type == "ReduceLogSumExp":
        f("Log", over("ReduceSum", f("Exp", x)), out=y)
    elif n.op_type == "ReduceProd":
        f("Neg", f("Neg", over("ReduceProd", x)), out=y)
    else:
        f("Neg", over("ReduceMin" if n.op_type == "ReduceMax" else "ReduceMax", f("Neg", x)), out=y)
    return f


@form("ArgMax", "ArgMin")
def arg(rng, g, n):
    f = Nodes(g)
    x = n.input[0]
    if g.values[x].dtype not in (np.float32, np.float64, np.int32, np.int64):
        return None
    other = helper.make_node("ArgMin" if n.op_type == "ArgMax" else "ArgMax", [f("Neg", x)], list(n.output))
    other.attribute.extend(n.attribute)
    f.append(other)
    return f


@form("Conv")
def conv(rng, g, n):
    f, x = Nodes(g), n.input[0]
    v = g.values[x]
    r = rng.randrange(3)
    if len(n.input) > 2 and n.input[2] and r == 0:  # the bias behind
        plain = helper.make_node("Conv", list(n.input[:2]), [g.fresh("f")])
        plain.attribute.extend(n.attribute)
        f.append(plain)
        b = f("Reshape", n.input[2], g.const(np.array([-1] + [1] * (v.ndim - 2), np.int64)))
        f("Add", plain.output[0], b, out=n.output[0])
        return f
    pads = attr(n, "pads")
    if pads and any(pads) and attr(n, "auto_pad", b"NOTSET") == b"NOTSET":  # padding in front
        k = v.ndim - 2
        all_pads = [0, 0, *pads[:k], 0, 0, *pads[k:]]
        plain = helper.make_node("Conv", [f("Pad", x, g.const(np.array(all_pads, np.int64)))] + list(n.input[1:]), list(n.output))
        plain.attribute.extend(a for a in n.attribute if a.name != "pads")
        f.append(plain)
        return f
    if v.dtype == np.float32:  # twice the input, half the kernel
        plain = helper.make_node("Conv", [f("Mul", x, like(g, x, 2)), f("Mul", n.input[1], like(g, x, 0.5))] + list(n.input[2:]), list(n.output))
        plain.attribute.extend(n.attribute)
        f.append(plain)
        return f
    return None


@form("BatchNormalization")
def batchnorm(rng, g, n):
    if len(n.output) > 1 or attr(n, "training_mode", 0):
        return None
    f = Nodes(g)
    x, s, b, m, v = n.input
    shape = g.const(np.array([-1] + [1] * (g.values[x].ndim - 2), np.int64))
    wide = [f("Reshape", y, shape) for y in (s, b, m, v)]
    d = f("Sqrt", f("Add", wide[3], like(g, x, attr(n, "epsilon", 1e-5))))
    f("Add", f("Mul", f("Div", f("Sub", x, wide[2]), d), wide[0]), wide[1], out=n.output[0])
    return f


@form("LayerNormalization")
def layernorm(rng, g, n):
    if len(n.output) > 1 or g.values[n.input[0]].dtype != np.float32:
        return None
    f, x = Nodes(g), n.input[0]
    rank = g.values[x].ndim
    axes = list(range(attr(n, "axis", -1) % rank, rank))

    def mean(z):
        out = g.fresh("f")
        f.append(reduce(g, "ReduceMean", z, out, axes, 1))
        return out

    d = f("Sub", x, mean(x))
    y = f("Div", d, f("Sqrt", f("Add", mean(f("Mul", d, d)), like(g, x, attr(n, "epsilon", 1e-5)))))
    y = f("Mul", y, n.input[1])
    if len(n.input) > 2 and n.input[2]:
        y = f("Add", y, n.input[2])
    f("Identity", y, out=n.output[0])
    return f


@form("Transpose")
def transpose(rng, g, n):
    f, v = Nodes(g), g.values[n.input[0]]
    perm = attr(n, "perm") or list(reversed(range(v.ndim)))
    first = list(range(v.ndim))
    rng.shuffle(first)
    f("Transpose", f("Transpose", n.input[0], perm=first), out=n.output[0], perm=[first.index(p) for p in perm])
    return f


@form("Gather")
def gather(rng, g, n):
    f, axis = Nodes(g), attr(n, "axis", 0)
    k = g.constant(n.input[1])
    size = g.values[n.input[0]].shape[axis]
    if k is not None and k.dtype == np.int64:
        turned = np.where(k < 0, k + size, k - size)
        f("Gather", n.input[0], g.const(turned), out=n.output[0], axis=axis)
        return f
    return None


@form("Slice")
def slices(rng, g, n):
    """Bounds counted from the other end."""
    cs = [g.constant(x) for x in n.input[1:] if x]
    if any(c is None for c in cs) or len(cs) < 2 or len(cs) > 3 or len(cs) != len(n.input) - 1:
        return None
    v, f = g.values[n.input[0]], Nodes(g)
    axes = cs[2] if len(cs) > 2 else np.arange(cs[0].size)
    starts, ends = [], []
    for s, e, a in zip(cs[0].tolist(), cs[1].tolist(), axes.tolist()):
        size = v.shape[a]
        if not 0 <= s < size or not 0 < e:
            return None
        starts.append(s - size)
        ends.append(e if e >= size else e - size)
    f("Slice", n.input[0], g.const(np.array(starts, np.int64)), g.const(np.array(ends, np.int64)), g.const(axes.astype(np.int64)),
      g.const(np.ones(len(starts), np.int64)), out=n.output[0])
    return f


@form("Cast")
def cast(rng, g, n):
    x = g.values[n.input[0]]
    if x.dtype == np.bool_ and attr(n, "to") == 1:
        f = Nodes(g)
        f("Where", n.input[0], g.const(np.float32(1)), g.const(np.float32(0)), out=n.output[0])
        return f
    return None


@form("CumSum")
def cumsum(rng, g, n):
    f, axis, v = Nodes(g), g.constant(n.input[1]), g.values[n.input[0]]
    if axis is None or v.dtype not in (np.float32, np.float64) or attr(n, "exclusive", 0) or attr(n, "reverse", 0) or v.ndim == 0:
        return None
    axis = int(axis.ravel()[0]) % v.ndim
    size = v.shape[axis]
    perm = list(range(v.ndim))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    upper = np.triu(np.ones((size, size), v.dtype))
    f("Transpose", f("MatMul", f("Transpose", n.input[0], perm=perm), g.const(upper)), out=n.output[0], perm=perm)
    return f


@form("Expand")
def expand(rng, g, n):
    f, v, w = Nodes(g), g.values[n.input[0]], g.values[n.output[0]]
    if v.dtype != np.float32:
        return None
    if rng.random() < 0.5:
        f("Add", n.input[0], g.const(np.zeros(w.shape, v.dtype)), out=n.output[0])
    else:
        f("Mul", g.const(np.ones(w.shape, v.dtype)), n.input[0], out=n.output[0])
    return f


@form("Elu")
def elu(rng, g, n):
    f, x = Nodes(g), n.input[0]
    a = like(g, x, attr(n, "alpha", 1.0))
    e = f("Mul", a, f("Sub", f("Exp", f("Min", x, like(g, x, 0))), like(g, x, 1)))
    f("Where", f("Less", x, like(g, x, 0)), e, x, out=n.output[0])
    return f


@form("Log")
def log(rng, g, n):
    f, x = Nodes(g), n.input[0]
    f("Neg", f("Log", f("Reciprocal", x)), out=n.output[0])
    return f


@form("Exp")
def exp(rng, g, n):
    f, x = Nodes(g), n.input[0]
    f("Reciprocal", f("Exp", f("Neg", x)), out=n.output[0])
    return f
