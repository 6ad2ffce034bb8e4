"""Changes after which a model computes the same, by construction."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from cases import NUMBER, set_opset, versions
from editing import has_graphs, node
from evaluate import Invalid

KINDS = {}


def kind(name):
    def add(f):
        KINDS.setdefault(name, []).append(f)
        return f
    return add


def pick(rng, g, kinds="fiub", test=lambda v: True):
    names = [x for x in g.edges(kinds) if test(g.values[x])]
    return rng.choice(names) if names else None


@kind("identity")
def identity(rng, g):
    x = pick(rng, g)
    return x and g.behind(rng, x, lambda s, t: [node("Identity", s, t)])


@kind("double transpose")
def transposes(rng, g):
    x = pick(rng, g, test=lambda v: v.ndim >= 2)
    if not x:
        return False
    perm = list(range(g.values[x].ndim))
    rng.shuffle(perm)
    back = [perm.index(i) for i in range(len(perm))]
    return g.behind(rng, x, lambda s, t: [node("Transpose", s, t + "_p", perm=perm), node("Transpose", t + "_p", t, perm=back)])


@kind("split and concat")
def split(rng, g):
    x = pick(rng, g, test=lambda v: v.ndim >= 1 and max(v.shape) >= 2)
    if not x:
        return False
    v = g.values[x]
    axis = rng.choice([i for i, s in enumerate(v.shape) if s >= 2])
    k = rng.randint(1, v.shape[axis] - 1)
    a = axis - v.ndim if rng.random() < 0.5 else axis
    b = axis - v.ndim if rng.random() < 0.5 else axis

    def make(s, t):
        if rng.random() < 0.5:
            cut = [node("Split", [s, g.const(np.array([k, v.shape[axis] - k], np.int64))], [t + "_a", t + "_b"], axis=a)]
        else:
            ends = [(0, k), (k - v.shape[axis], rng.choice([v.shape[axis], 2**62]))]
            cut = [node("Slice", [s] + [g.const(np.array([y], np.int64)) for y in (lo, hi, a)], t + e) for (lo, hi), e in zip(ends, ["_a", "_b"])]
        return cut + [node("Concat", [t + "_a", t + "_b"], t, axis=b)]

    return g.behind(rng, x, make)


@kind("add 0, times 1")
def neutral(rng, g):
    x = pick(rng, g, "fi", test=lambda v: v.dtype in (np.float32, np.float64, np.int32, np.int64))
    if not x:
        return False
    v = g.values[x]
    op, c = rng.choice([("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1), ("Pow", 1)])
    if op == "Pow" and v.dtype.kind != "f":
        op, c = "Add", 0
    c = np.array(c, v.dtype)
    if rng.random() < 0.5 and v.ndim:
        c = np.full(v.shape[rng.randrange(v.ndim):], c, v.dtype)
    name = g.const(c)
    ins = lambda s: [name, s] if op in ("Add", "Mul") and rng.random() < 0.5 else [s, name]  # noqa: E731
    return g.behind(rng, x, lambda s, t: [node(op, ins(s), t)])


@kind("there and back")
def inverse(rng, g):
    x = pick(rng, g, "fib")
    if not x:
        return False
    v = g.values[x]
    if v.dtype == np.bool_:
        return g.behind(rng, x, lambda s, t: [node("Not", s, t + "_n"), node("Not", t + "_n", t)])
    if v.dtype not in (np.float32, np.float64, np.int32, np.int64):
        return False
    two, five = g.const(np.array(2, v.dtype)), g.const(np.array(4, v.dtype))
    forms = [lambda s, t: [node("Neg", s, t + "_n"), node("Neg", t + "_n", t)],
             lambda s, t: [node("Sub", [five, s], t + "_n"), node("Sub", [five, t + "_n"], t)],
             lambda s, t: [node("Add", [s, five], t + "_n"), node("Sub", [t + "_n", five], t)]]
    if v.dtype.kind == "f":
        forms.append(lambda s, t: [node("Mul", [s, two], t + "_n"), node("Div", [t + "_n", two], t)])
    return g.behind(rng, x, rng.choice(forms))


@kind("reshape and back")
def reshapes(rng, g):
    x = pick(rng, g)
    if not x:
        return False
    v = g.values[x]
    shape = np.array(v.shape, np.int64)
    axis = rng.randint(0, v.ndim)
    forms = [
        lambda s, t: [node("Reshape", [s, g.const(np.array([-1], np.int64))], t + "_r"), node("Reshape", [t + "_r", g.const(shape)], t)],
        lambda s, t: [node("Unsqueeze", [s, g.const(np.array([axis], np.int64))], t + "_r"), node("Squeeze", [t + "_r", g.const(np.array([axis - v.ndim - 1], np.int64))], t)],
        lambda s, t: [node("Flatten", s, t + "_r", axis=axis), node("Shape", s, t + "_s"), node("Reshape", [t + "_r", t + "_s"], t)],
        lambda s, t: [node("Reshape", [s, g.const(shape)], t)],
        lambda s, t: [node("Expand", [s, g.const(np.ones(rng.randint(0, v.ndim), np.int64))], t)],
        lambda s, t: [node("Tile", [s, g.const(np.ones(v.ndim, np.int64))], t)] if v.dtype != np.float16 else [node("Identity", s, t)],
    ]
    if v.ndim:
        some = shape.copy()
        some[rng.randrange(v.ndim)] = -1
        zeros = np.zeros(v.ndim, np.int64)
        forms += [lambda s, t: [node("Reshape", [s, g.const(some)], t)], lambda s, t: [node("Reshape", [s, g.const(zeros)], t)]]
    return g.behind(rng, x, rng.choice(forms))


# Types that hold every number of a type.
WIDER = {np.float16: [np.float32, np.float64], np.float32: [np.float64], np.int8: [np.int16, np.int32, np.int64, np.float32], np.uint8: [np.int32, np.int64, np.uint16, np.float32],
         np.int16: [np.int32, np.float32], np.int32: [np.int64, np.float64], np.uint16: [np.int32, np.int64], np.uint32: [np.int64], np.bool_: [np.uint8, np.int32, np.int64, np.float32]}


@kind("cast and back")
def casts(rng, g):
    x = pick(rng, g, test=lambda v: v.dtype.type in WIDER)
    if not x:
        return False
    d = g.values[x].dtype
    w = rng.choice(WIDER[d.type])
    if rng.random() < 0.15:
        return g.behind(rng, x, lambda s, t: [node("Cast", s, t, to=NUMBER[d])])
    return g.behind(rng, x, lambda s, t: [node("Cast", s, t + "_k", to=NUMBER[np.dtype(w)]), node("Cast", t + "_k", t, to=NUMBER[d])])


@kind("constant spelled")
def constants(rng, g):
    names = [t.name for t in g.g.initializer if t.name not in g.captured() and t.data_type in NUMBER.values()]
    if not names:
        return False
    name = rng.choice(names)
    a = g.constant(name)
    tensor = next(t for t in g.g.initializer if t.name == name)
    made = []
    way = rng.randrange(6)
    wide = {np.dtype(np.float32): np.float64, np.dtype(np.int64): np.int32, np.dtype(np.int32): np.int64, np.dtype(np.float16): np.float32}
    if way == 1 and a.size and (a == a.ravel()[0]).all() and a.dtype in (np.float32, np.int64, np.int32, np.float64):
        shape = g.const(np.array(a.shape, np.int64))
        made = [node("ConstantOfShape", shape, name, value=numpy_helper.from_array(a.ravel()[:1]))]
    elif way == 2:
        made = [node("Identity", g.const(a), name)]
    elif way == 3 and a.dtype in wide and a.size and (a.astype(wide[a.dtype]).astype(a.dtype) == a).all():
        made = [node("Cast", g.const(a.astype(wide[a.dtype])), name, to=NUMBER[a.dtype])]
    elif way == 4 and a.dtype in (np.float32, np.int64) and a.size:
        b = np.array([rng.randint(-4, 4) for _ in range(a.size)], a.dtype).reshape(a.shape)
        if not ((a - b) + b == a).all():
            return False
        made = [node("Add", [g.const(a - b), g.const(b)], name)]
    elif way == 5 and a.ndim >= 1 and a.size:
        made = [node("Reshape", [g.const(a.ravel()), g.const(np.array(a.shape, np.int64))], name)]
    else:
        one = {np.dtype(np.float32): ("value_float", "value_floats"), np.dtype(np.int64): ("value_int", "value_ints")}.get(a.dtype)
        if one and a.ndim == 0:
            made = [node("Constant", [], name, **{one[0]: a.item()})]
        elif one and a.ndim == 1 and a.size and rng.random() < 0.5:
            made = [node("Constant", [], name, **{one[1]: a.tolist()})]
        else:
            made = [node("Constant", [], name, value=numpy_helper.from_array(a))]
    g.g.initializer.remove(tensor)
    g.insert(0, made)
    return True


@kind("operands commuted")
def commuted(rng, g):
    ns = [n for n in g.g.node if n.op_type in ("Add", "Mul", "And", "Or", "Xor", "Max", "Min", "Sum", "Mean", "Equal", "BitwiseAnd", "BitwiseOr", "BitwiseXor") and len(n.input) > 1]
    if not ns:
        return False
    n = rng.choice(ns)
    ins = list(n.input)
    rng.shuffle(ins)
    if ins == list(n.input):
        ins.reverse()
    del n.input[:]
    n.input.extend(ins)
    return True



@kind("axis spelled")
def axes(rng, g):
    """axis or axes counted from the other end, as an attribute or as a constant input."""
    found = []
    slots = {"Slice": 3, "Pad": 3, "Squeeze": 1, "CumSum": 1, "CumProd": 1}
    for n in g.g.node:
        v = g.values.get(n.input[0]) if n.input else None
        if v is None or v.ndim == 0:
            continue
        out = g.values.get(n.output[0])
        rank = v.ndim
        if n.op_type in ("Unsqueeze", "OneHot"):
            rank = out.ndim if out is not None else 0
        if n.op_type in ("ConcatFromSequence", "Flatten", "Scan"):
            continue
        if n.op_type == "TopK" or n.op_type == "GatherElements" or n.op_type in ("Concat", "Split", "Gather"):
            rank = v.ndim
        for a in n.attribute:
            if a.name == "axis" and a.i != 0 or a.name == "axis" and rank:
                found.append((n, a, rank))
            elif a.name == "axes" and len(a.ints):
                found.append((n, a, rank))
        at = slots.get(n.op_type, 1 if n.op_type.startswith("Reduce") or n.op_type == "Unsqueeze" else None)
        if at is not None and at < len(n.input) and g.constant(n.input[at]) is not None and g.constant(n.input[at]).size:
            found.append((n, at, rank))
    if not found:
        return False
    n, a, rank = rng.choice(found)
    turn = lambda x: x + rank if x < 0 else x - rank  # noqa: E731
    if isinstance(a, int):
        c = g.constant(n.input[a])
        n.input[a] = g.const(np.array([turn(int(x)) for x in c.ravel()], c.dtype).reshape(c.shape))
    elif a.name == "axis":
        a.i = turn(a.i)
    else:
        for i, x in enumerate(a.ints):
            a.ints[i] = turn(x)
    return True


@kind("default spelled")
def defaults(rng, g):
    """An attribute that has its default is left out, or one that is absent is spelled; inputs
    that are left out at the end are spelled as empty names."""
    found = []
    for n in g.g.node:
        schema = onnx.defs.get_schema(n.op_type, g.version, "")
        have = {a.name: a for a in n.attribute}
        for name, a in schema.attributes.items():
            d = a.default_value
            if not d or d.type == onnx.AttributeProto.UNDEFINED:
                continue
            if name not in have:
                found.append((n, "add", d, name))
            elif have[name].SerializeToString() == d.SerializeToString() or helper.get_attribute_value(have[name]) == helper.get_attribute_value(d):
                found.append((n, "remove", have[name], name))
        if len(n.input) < len(schema.inputs) and schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Optional:
            found.append((n, "input", None, ""))
    if not found:
        return False
    n, what, a, name = rng.choice(found)
    if what == "add":
        n.attribute.append(a)
        n.attribute[-1].name = name
    elif what == "remove":
        n.attribute.remove(a)
    else:
        n.input.append("")
    return True


@kind("operator set")
def another_set(rng, g):
    same = [v for v in versions(g.model, 26) if v != g.version]
    if not same:
        return False
    set_opset(g.model, rng.choice(same))
    return True


@kind("dead code")
def dead(rng, g):
    x = pick(rng, g)
    if not x:
        return False
    op = {"f": ["Relu", "Exp", "Shape", "Log"], "b": ["Not", "Shape"]}.get(g.values[x].dtype.kind, ["Shape", "Size"])
    at = len(g.g.node) if rng.random() < 0.5 else g.where(x)
    g.insert(at, [node(rng.choice(op), x, g.fresh("dead"))])
    return True


@kind("node duplicated")
def duplicated(rng, g):
    """A node twice, and some of what reads it reads the second one; or the input twice."""
    ns = [n for n in g.g.node if len(n.output) == 1 and g.reads(n.output[0]) and not has_graphs(n) and n.output[0] not in g.captured()]
    if not ns:
        ns = [n for n in g.g.node if len(n.output) == 1 and n.output[0] in g.values and g.values[n.output[0]].dtype == np.float32 and not has_graphs(n)]
        if not ns:
            return False
        n = rng.choice(ns)  # (y + y')/2
        y, twin = n.output[0], g.fresh("twin")

        def make(s, t):
            second = onnx.NodeProto.FromString(n.SerializeToString())
            second.output[0] = twin
            second.name = ""
            return [second, node("Add", [s, twin], t + "_2"), node("Mul", [t + "_2", g.const(np.float32(0.5))], t)]

        return g.behind(rng, y, make)
    n = rng.choice(ns)
    second = onnx.NodeProto.FromString(n.SerializeToString())
    second.output[0] = g.fresh("twin")
    second.name = ""
    reads = g.reads(n.output[0])
    for m, i in reads if rng.random() < 0.5 else [rng.choice(reads)]:
        m.input[i] = second.output[0]
    g.insert(g.where(n.output[0]), [second])
    return True


@kind("names and order")
def renamed(rng, g):
    """Other names of values and nodes, another order of nodes and of initializers."""
    if any(has_graphs(n) for n in g.g.node):
        return False
    names = {o: f"r{i}" for i, o in enumerate(sorted({o for n in g.g.node for o in n.output if o and not g.is_output(o)} | {t.name for t in g.g.initializer}, key=lambda _: rng.random()))}
    for n in g.g.node:
        n.name = f"n{rng.randrange(1000000)}"
        for field in (n.input, n.output):
            for i, x in enumerate(field):
                if x in names:
                    field[i] = names[x]
    for t in g.g.initializer:
        t.name = names[t.name]
    ts = [onnx.TensorProto.FromString(t.SerializeToString()) for t in g.g.initializer]
    rng.shuffle(ts)
    del g.g.initializer[:]
    g.g.initializer.extend(ts)
    left, ready, order = list(g.g.node), {i.name for i in g.g.input} | {t.name for t in ts} | {""}, []
    while left:
        can = [n for n in left if all(x in ready for x in n.input)]
        n = rng.choice(can)
        left.remove(n)
        order.append(n)
        ready.update(n.output)
    order = [onnx.NodeProto.FromString(n.SerializeToString()) for n in order]
    del g.g.node[:]
    g.g.node.extend(order)
    return True


@kind("function body")
def body(rng, g):
    """A node as the body that ONNX gives its operator."""
    from onnx import inliner

    ops = sorted({n.op_type for n in g.g.node if (s := onnx.defs.get_schema(n.op_type, g.version, "")).has_function or s.has_context_dependent_function})
    if not ops:
        return False
    op = rng.choice(ops)
    declared = {i.name for i in g.g.input} | {o.name for o in g.g.output}
    types = [helper.make_tensor_value_info(x, NUMBER[v.dtype], v.shape) for x, v in g.values.items() if x and x not in declared]
    g.g.value_info.extend(types)
    try:
        m = inliner.inline_selected_functions(g.model, [("", op)], False, True)
    except RuntimeError as e:  # it wants types of values that the model does not declare
        raise Invalid(str(e)) from e
    del m.graph.value_info[:]
    if len(m.graph.node) == len(g.g.node):
        return False
    g.model = m
    return True




@kind("constant folded")
def folded(rng, g):
    """A node of constants as what it computes: both judges have to say so."""
    from evaluate import Model, deviation

    ns = [n for n in g.g.node if n.op_type != "Constant" and not has_graphs(n) and all(x == "" or g.constant(x) is not None for x in n.input)
          and all(o in g.values and not g.is_output(o) for o in n.output if o)]
    if not ns:
        return False
    n = rng.choice(ns)
    m = onnx.ModelProto()
    m.CopyFrom(g.model)
    del m.graph.node[:]
    m.graph.node.append(n)
    del m.graph.input[:]
    del m.graph.output[:]
    outs = [o for o in n.output if o]
    m.graph.output.extend(helper.make_tensor_value_info(o, NUMBER[g.values[o].dtype], g.values[o].shape) for o in outs)
    for x in n.input:
        if x and not any(t.name == x for t in m.graph.initializer):
            m.graph.initializer.append(numpy_helper.from_array(np.asarray(g.constant(x)), x))
    a, b = Model(m).run({})
    if deviation(a, b) > 1e-6:
        return False
    g.replace(n, [])
    for o, x in zip(outs, a):
        g.g.initializer.append(numpy_helper.from_array(x, o))
    return True
