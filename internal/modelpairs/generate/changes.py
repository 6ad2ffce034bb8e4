"""Small changes after which a model may compute something else; a witness decides."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from cases import NUMBER, since
from editing import has_graphs, node

KINDS = {}


def kind(name):
    def add(f):
        KINDS.setdefault(name, []).append(f)
        return f
    return add


# Values of attributes that are words.
WORDS = {
    "auto_pad": ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"], "coordinate_transformation_mode": ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "half_pixel_symmetric", "output_half_pixel"],
    "nearest_mode": ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"], "direction": ["forward", "reverse", "bidirectional", "LEFT", "RIGHT"],
    "reduction": ["none", "add", "mul", "max", "min", "mean", "sum"], "approximate": ["none", "tanh"],
    "mode": ["constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "bilinear", "bicubic", "DCR", "CRD", "avg", "max", "TF", "IDF", "TFIDF"],
    "padding_mode": ["zeros", "border", "reflection"], "keep_aspect_ratio_policy": ["stretch", "not_larger", "not_smaller"],
    "activations": ["Sigmoid", "Tanh", "Relu", "HardSigmoid", "Affine"],
}


def top(g):
    return [n for n in g.g.node if n.op_type != "Constant" and not has_graphs(n)]


def nodes_with(g, test):
    """Nodes that pass a test; those of the operator that the pair is about if there are any."""
    ns = [n for n in top(g) if test(n)]
    return [n for n in ns if n.op_type == g.op] or ns


def number(rng, x):
    """A number beside x."""
    return rng.choice([x + 1, x - 1, -x, 0, x * 2, x + 2, 1, 3])


def vary(rng, a):
    """Changes an attribute in one place; false if it cannot."""
    old = a.SerializeToString()
    if a.type == a.INT:
        a.i = number(rng, a.i)
    elif a.type == a.FLOAT:
        a.f = rng.choice([a.f * 1.5, a.f + 0.25, -a.f, 0.0, a.f + 1, a.f * 10, a.f / 10])
    elif a.type == a.INTS and len(a.ints):
        i, j = rng.randrange(len(a.ints)), rng.randrange(len(a.ints))
        if rng.random() < 0.4:
            x = a.ints[i]
            a.ints[i] = a.ints[j]
            a.ints[j] = x
        else:
            a.ints[i] = number(rng, a.ints[i])
    elif a.type == a.FLOATS and len(a.floats):
        i = rng.randrange(len(a.floats))
        a.floats[i] = rng.choice([a.floats[i] * 1.5, a.floats[i] + 1, -a.floats[i]])
    elif a.type == a.STRING:
        a.s = rng.choice(WORDS.get(a.name, [a.s.decode()])).encode() if a.name != "equation" else equation(rng, a.s.decode()).encode()
    elif a.type == a.STRINGS and len(a.strings):
        a.strings[rng.randrange(len(a.strings))] = rng.choice(WORDS.get(a.name, ["x"])).encode()
    else:
        return False
    return a.SerializeToString() != old


def equation(rng, e):
    """An Einsum equation with two letters of its result exchanged, or one left out."""
    if "->" not in e:
        return e
    left, right = e.split("->")
    if "," in left and rng.random() < 0.5:
        parts = left.split(",")
        i = rng.randrange(len(parts))
        parts[i] = parts[i][::-1] if "." not in parts[i] else parts[i]
        return ",".join(parts) + "->" + right
    letters = [c for c in right if c.isalpha()]
    if len(letters) < 2 or "." in right:
        return left + "->"
    i, j = rng.sample(range(len(letters)), 2)
    letters[i], letters[j] = letters[j], letters[i]
    return left + "->" + "".join(letters)


@kind("attribute changed")
def attribute(rng, g):
    ns = nodes_with(g, lambda n: any(a.name not in ("to", "saturate") for a in n.attribute))
    if not ns:
        return False
    n = rng.choice(ns)
    return vary(rng, rng.choice([a for a in n.attribute if a.name not in ("to", "saturate")]))


@kind("attribute left out")
def removed_attribute(rng, g):
    ns = nodes_with(g, lambda n: len(n.attribute))
    if not ns:
        return False
    n = rng.choice(ns)
    n.attribute.remove(rng.choice(list(n.attribute)))
    return True


@kind("attribute added")
def added_attribute(rng, g):
    found = []
    for n in top(g):
        have = {a.name for a in n.attribute}
        for name, a in onnx.defs.get_schema(n.op_type, g.version, "").attributes.items():
            if name not in have:
                found.append((n, name, a))
    found = [f for f in found if f[0].op_type == g.op] or found
    if not found:
        return False
    n, name, s = rng.choice(found)
    d, kinds = s.default_value, onnx.defs.OpSchema.AttrType
    rank = g.values[n.input[0]].ndim if n.input and n.input[0] in g.values else 1
    if d and d.type != onnx.AttributeProto.UNDEFINED:
        a = onnx.AttributeProto.FromString(d.SerializeToString())
        a.name = name
        if not vary(rng, a):
            return False
        n.attribute.append(a)
    elif s.type == kinds.INT:
        n.attribute.append(helper.make_attribute(name, rng.choice([0, 1, 2, -1, 3])))
    elif s.type == kinds.FLOAT:
        n.attribute.append(helper.make_attribute(name, rng.choice([0.0, 1.0, 0.5, -1.0, 2.0])))
    elif s.type == kinds.INTS:
        k = max(rank - 2, 1) * (2 if name == "pads" else 1)
        if name in ("perm",):
            xs = list(range(rank))
            rng.shuffle(xs)
        elif name == "axes":
            xs = [rng.randrange(max(rank, 1))]
        else:
            xs = [rng.choice([1, 2, 1, 2, 0]) for _ in range(k)]
        n.attribute.append(helper.make_attribute(name, xs))
    elif s.type == kinds.STRING and name in WORDS:
        n.attribute.append(helper.make_attribute(name, rng.choice(WORDS[name])))
    elif s.type == kinds.FLOATS:
        n.attribute.append(helper.make_attribute(name, [0.5, 0.3]))
    else:
        return False
    return True


@kind("input left out or added")
def optional_input(rng, g):
    found = []
    for n in top(g):
        schema = onnx.defs.get_schema(n.op_type, g.version, "")
        for i, p in enumerate(schema.inputs):
            if p.option != onnx.defs.OpSchema.FormalParameterOption.Optional:
                continue
            if i < len(n.input) and n.input[i]:
                found.append((n, i, None))
    if not found:
        return False
    n, i, _ = rng.choice(found)
    if i == len(n.input) - 1:
        del n.input[i:]
    else:
        n.input[i] = ""
    return True


def narrowed(v):
    return {"f": [np.int32, np.int64, np.int8, np.uint8, np.bool_], "i": [np.int8, np.uint8, np.bool_, np.int16, np.int32, np.float32], "u": [np.int8, np.bool_, np.float32], "b": []}[v.dtype.kind]


@kind("type")
def types(rng, g):
    """A cast to a type that does not hold all numbers, and back; another type of a Cast; or
    another type of an input."""
    r = rng.random()
    ns = nodes_with(g, lambda n: n.op_type == "Cast" and n.output[0] in g.values)
    if ns and r < 0.35:
        n = rng.choice(ns)
        to = next(a for a in n.attribute if a.name == "to")
        new = rng.choice([1, 2, 3, 5, 6, 7, 9, 11])
        d = g.values[n.output[0]].dtype
        if new == to.i:
            return False
        out, mid = n.output[0], g.fresh("k")
        to.i = new
        if rng.random() < 0.5:
            n.output[0] = mid
            g.insert(g.where(mid), [node("Cast", mid, out, to=NUMBER[d])])
        return True
    if r < 0.45:
        i = rng.choice(list(g.g.input))
        d = g.values[i.name].dtype
        other = {np.dtype(np.float32): np.float64, np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32, np.dtype(np.int32): np.int64}.get(d)
        if other is None:
            return False
        i.type.tensor_type.elem_type = NUMBER[np.dtype(other)]
        g.feeds = {**g.feeds, i.name: g.feeds[i.name].astype(other)}
        return True
    xs = [x for x in g.edges() if narrowed(g.values[x])]
    if not xs:
        return False
    x = rng.choice(xs)
    v = g.values[x]
    w = rng.choice(narrowed(v))
    if v.dtype == np.float64:
        w = rng.choice([np.float32, np.int32, np.float16])
    if v.dtype in (np.int64, np.uint64, np.int32) and rng.random() < 0.5:
        w = rng.choice([np.float32, np.int32, np.int16, np.float16])
    if w == v.dtype:
        return False
    return g.behind(rng, x, lambda s, t: [node("Cast", s, t + "_k", to=NUMBER[np.dtype(w)]), node("Cast", t + "_k", t, to=NUMBER[v.dtype])])


def constants(g, kinds):
    names = [t.name for t in g.g.initializer if t.data_type in NUMBER.values()]
    names += [n.output[0] for n in g.g.node if n.op_type == "Constant"]
    out = []
    for x in names:
        a = g.constant(x)
        if a is not None and np.asarray(a).dtype.kind in kinds and np.asarray(a).size:
            out.append(x)
    return out


@kind("constant")
def constant(rng, g):
    xs = constants(g, "fb")
    if not xs:
        return False
    x = rng.choice(xs)
    a = np.array(g.constant(x))
    i = rng.randrange(a.size)
    flat = a.reshape(-1)
    if a.dtype.kind == "b":
        flat[i] = not flat[i]
    elif rng.random() < 0.25 and a.size > 1:
        j = rng.randrange(a.size)
        flat[i], flat[j] = flat[j].copy(), flat[i].copy()
    else:
        c = float(flat[i])
        flat[i] = rng.choice([c * 1.5, c + 1, -c, 0, c * 10, c + 0.25])
    g.set_constant(x, flat.reshape(a.shape))
    return True


@kind("index or size")
def index(rng, g):
    """A constant of integers: positions, bounds, axes, sizes."""
    xs = constants(g, "iu")
    if not xs:
        return False
    x = rng.choice(xs)
    a = np.array(g.constant(x))
    flat = a.reshape(-1)
    i = rng.randrange(a.size)
    if rng.random() < 0.3 and a.size > 1:
        j = rng.randrange(a.size)
        flat[i], flat[j] = flat[j].copy(), flat[i].copy()
    else:
        c = number(rng, int(flat[i]))
        info = np.iinfo(a.dtype)
        if not info.min <= c <= info.max:
            return False
        flat[i] = c
    g.set_constant(x, flat.reshape(a.shape))
    return True


@kind("operands exchanged")
def exchanged(rng, g):
    found = []
    for n in top(g):
        for i in range(len(n.input)):
            for j in range(i):
                a, b = g.values.get(n.input[i]), g.values.get(n.input[j])
                if a is not None and b is not None and n.input[i] != n.input[j] and a.dtype == b.dtype:
                    found.append((n, i, j))
    if not found:
        return False
    n, i, j = rng.choice(found)
    x = n.input[i]
    n.input[i] = n.input[j]
    n.input[j] = x
    return True


@kind("another operand")
def another(rng, g):
    """A node reads another value of the same type and shape, or another output of a node."""
    found = []
    order = {x: 0 for x in [i.name for i in g.g.input] + [t.name for t in g.g.initializer]}
    for k, n in enumerate(g.g.node):
        for i, x in enumerate(n.input):
            v = g.values.get(x)
            for y, at in order.items():
                w = g.values.get(y)
                if v is not None and w is not None and x != y and v.shape == w.shape and v.dtype == w.dtype:
                    found.append((n, i, y))
        for o in n.output:
            if o:
                order[o] = k + 1
    for n in g.g.node:
        if len(n.output) > 1:
            for i in range(len(n.output)):
                for j in range(i):
                    if n.output[i] and n.output[j]:
                        found.append((n, -1, (i, j)))
    if not found:
        return False
    n, i, y = rng.choice(found)
    if i >= 0:
        n.input[i] = y
    else:
        i, j = y
        x = n.output[i]
        n.output[i] = n.output[j]
        n.output[j] = x
    return True


@kind("shape")
def shape(rng, g):
    """Elements in another order or shape: a transpose, or a reshape to other sizes."""
    xs = [x for x in g.edges() if g.values[x].ndim >= 2 and g.values[x].size > 1]
    if not xs:
        return False
    x = rng.choice(xs)
    v = g.values[x]
    perm = list(range(v.ndim))
    i, j = rng.sample(perm, 2)
    perm[i], perm[j] = perm[j], perm[i]
    r = rng.random()
    if r < 0.4:
        return g.behind(rng, x, lambda s, t: [node("Transpose", s, t, perm=perm)])
    if r < 0.7:
        back = g.const(np.array(v.shape, np.int64))
        return g.behind(rng, x, lambda s, t: [node("Transpose", s, t + "_p", perm=perm), node("Reshape", [t + "_p", back], t)])
    to = [v.shape[p] for p in perm]
    return g.behind(rng, x, lambda s, t: [node("Reshape", [s, g.const(np.array(to, np.int64))], t)])


@kind("node removed")
def removed(rng, g):
    found = []
    for n in top(g):
        o = n.output[0] if n.output else ""
        for i, x in enumerate(n.input):
            v, w = g.values.get(x), g.values.get(o)
            if v is not None and w is not None and v.dtype == w.dtype and v.shape == w.shape:
                found.append((n, i))
    if not found:
        return False
    n, i = rng.choice(found)
    x, outs = n.input[i], list(n.output)
    n.op_type = "Identity"
    del n.attribute[:]
    del n.input[:]
    n.input.append(x)
    del n.output[:]
    n.output.append(outs[0])
    return True


# Operators that are near each other.
GROUPS = ["Relu LeakyRelu Elu Softplus Abs Identity HardSwish", "Sigmoid Tanh HardSigmoid Erf Softsign", "Sin Cos Tan", "Sinh Cosh Tanh", "Asin Atan Asinh", "Acos Cos",
          "Floor Ceil Round Identity", "Max Min", "Add Sub", "Mul Div", "Add Mul", "And Or Xor", "ReduceMax ReduceMin ReduceMean ReduceSum ReduceProd", "ReduceL1 ReduceL2 ReduceSumSquare ReduceSum",
          "ReduceLogSum ReduceLogSumExp", "ArgMax ArgMin", "Softmax LogSoftmax Hardmax", "Exp Identity Sqrt Log Reciprocal", "Neg Abs Sign Identity", "MaxPool AveragePool", "GlobalMaxPool GlobalAveragePool",
          "Sum Mean Max", "BitwiseAnd BitwiseOr BitwiseXor", "Selu Elu Celu", "Gelu Relu", "Mish Swish HardSwish", "Equal And", "Greater Less", "CumSum CumProd Identity", "IsNaN IsInf", "Mod Div", "Shrink ThresholdedRelu"]
NEAR = {}
for _group in GROUPS:
    _ops = _group.split()
    for _op in _ops:
        NEAR.setdefault(_op, []).extend(x for x in _ops if x != _op)


@kind("another operator")
def operator(rng, g):
    ns = nodes_with(g, lambda n: n.op_type in NEAR)
    if not ns:
        return False
    n = rng.choice(ns)
    new = rng.choice(NEAR[n.op_type])
    if since(new, g.version) is None:
        return False
    schema = onnx.defs.get_schema(new, g.version, "")
    kept = [a for a in n.attribute if a.name in schema.attributes]
    del n.attribute[:]
    n.attribute.extend(kept)
    n.op_type = new
    return True


def literal(x):
    return numpy_helper.from_array(np.asarray(x))
