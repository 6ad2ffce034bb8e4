"""Changes that show on few inputs only: at borders, ties and poles, in rounding, in ranges
that random numbers do not reach."""

import numpy as np

from cases import NUMBER
from changes import KINDS as CHANGES
from changes import kind
from editing import node
from forms import Nodes

STRICT = {"Less": "LessOrEqual", "LessOrEqual": "Less", "Greater": "GreaterOrEqual", "GreaterOrEqual": "Greater"}


def const(g, v, x):
    return g.const(np.array(x, v.dtype))


def put(rng, g, kinds, make, test=lambda v: True):
    """Puts nodes behind a value: make(f, x, v, y) adds them, the last one giving y."""
    xs = [x for x in g.edges(kinds) if test(g.values[x])]
    if not xs:
        return False
    x = rng.choice(xs)
    v = g.values[x]

    def nodes(s, t):
        f = Nodes(g)
        make(f, s, v, t)
        return f

    return g.behind(rng, x, nodes)


def plain(v):
    return v.dtype in (np.float32, np.float64)


def whole(v):
    return v.dtype in (np.int32, np.int64)


@kind("strictness")
def strictness(rng, g):
    ns = [n for n in g.g.node if n.op_type in STRICT]
    if ns and rng.random() < 0.7:
        n = rng.choice(ns)
        n.op_type = STRICT[n.op_type]
        return True
    a, b = rng.choice([("Less", "LessOrEqual"), ("Greater", "GreaterOrEqual")])
    at = rng.choice([0, 1, 0.5, -1, 2])

    # The model has the one, the other has the other: both are made.
    def with_op(op):
        def make(f, x, v, y):
            f("Where", f(op, x, const(g, v, at)), x, f("Sub", x, const(g, v, 1)), out=y)
        return make

    return _both(rng, g, "f", with_op(a), with_op(b))


def _both(rng, g, kinds, first, second, test=plain):
    """The model gets the first nodes, and the changed one the second."""
    state = rng.getstate()
    if not put(rng, g, kinds, first, test):
        return False
    base = type(g.model)()
    base.CopyFrom(g.model)
    g.base = base
    g.model = type(base)()
    g.model.CopyFrom(g.before)
    g.count = 0
    rng.setstate(state)
    return put(rng, g, kinds, second, test)


@kind("border")
def border(rng, g):
    """A bound that only large numbers meet."""
    k = rng.choice([2, 5, 20, 60, 100, 300])

    def clip(f, x, v, y):
        f("Clip", x, const(g, v, -k), const(g, v, k), out=y)

    def above(f, x, v, y):
        f("Min", x, const(g, v, k), out=y)

    def below(f, x, v, y):
        f("Max", x, const(g, v, -k), out=y)

    def beyond(f, x, v, y):
        f("Add", x, f("Relu", f("Sub", x, const(g, v, k))), out=y)

    def jump(f, x, v, y):
        f("Where", f("Greater", x, const(g, v, k)), f("Mul", x, const(g, v, 2)), x, out=y)

    return put(rng, g, "f", rng.choice([clip, above, below, beyond, jump]), plain)


@kind("single point")
def point(rng, g):
    """Another value where an element is one certain number."""
    c = rng.choice([0, 0, 1, -1, 0.5, 2, 100, 3.25])

    def at(f, x, v, y):
        f("Where", f("Equal", x, const(g, v, c)), f("Add", x, const(g, v, 1)), x, out=y)

    def pole(f, x, v, y):
        d = const(g, v, 1e-6)
        f("Div", f("Mul", x, x), f("Add", x, d), out=y)

    def sign(f, x, v, y):
        f("Add", x, f("Sub", f("Abs", f("Sign", x)), const(g, v, 1)), out=y)

    return put(rng, g, "f", rng.choice([at, at, sign, at]), plain) if rng.random() < 0.9 else put(rng, g, "f", pole, lambda v: v.dtype == np.float64)


@kind("rounding")
def rounding(rng, g):
    """One way of rounding for another; integer division taken for exact."""
    ns = [n for n in g.g.node if n.op_type in ("Floor", "Ceil", "Round")]
    if ns and rng.random() < 0.5:
        n = rng.choice(ns)
        n.op_type = rng.choice([x for x in ("Floor", "Ceil", "Round") if x != n.op_type])
        return True
    if rng.random() < 0.5:
        k = rng.choice([2, 3, 4])
        forms = [lambda f, x, v, y: f("Mul", f("Div", x, const(g, v, k)), const(g, v, k), out=y),
                 lambda f, x, v, y: f("Sub", x, f("Mod", x, const(g, v, k)), out=y)]
        if put(rng, g, "i", rng.choice(forms), whole):
            return True
    half = lambda f, x, v: f("Floor", f("Add", x, const(g, v, 0.5)))  # noqa: E731
    ways = {
        "round": lambda f, x, v, y: f("Round", x, out=y),
        "half up": lambda f, x, v, y: f("Identity", half(f, x, v), out=y),
        "truncate": lambda f, x, v, y: f("Cast", f("Cast", x, to=6), out=y, to=NUMBER[v.dtype]),
        "floor": lambda f, x, v, y: f("Floor", x, out=y),
    }
    a, b = rng.sample(sorted(ways), 2)
    return _both(rng, g, "f", ways[a], ways[b])


@kind("ties")
def ties(rng, g):
    """Which of equal elements is taken."""
    def arg(op, last):
        def make(f, x, v, y):
            f("Cast", f(op, x, axis=-1, keepdims=0, select_last_index=last), out=y, to=1)
        return make

    def top(x_of):
        def make(f, x, v, y):
            n = v.shape[-1]
            i = f.g.fresh("i")
            f.append(node("TopK", [x_of(f, x, v), g.const(np.array([n], np.int64))], [g.fresh("u"), i], axis=-1))
            f("Cast", i, out=y, to=1)
        return make

    outs = [o.name for o in g.g.output if o.name in g.values and g.values[o.name].dtype == np.float32 and g.values[o.name].ndim and 1 < g.values[o.name].shape[-1] <= 16]
    if not outs:
        return False
    name = rng.choice(outs)
    v = g.values[name]
    r = rng.randrange(3)
    op = rng.choice(["ArgMax", "ArgMin"])
    if r == 0:
        a, b = arg(op, 0), arg(op, 1)
    elif r == 1:
        a, b = top(lambda f, x, v: x), top(lambda f, x, v: f("Floor", x))
    else:
        def reverse(f, x, v, y):
            n = v.shape[-1]
            rev = f("Gather", x, g.const(np.arange(n - 1, -1, -1)), axis=-1)
            i = f("Cast", f(op, rev, axis=-1, keepdims=0), to=1)
            f("Sub", g.const(np.float32(n - 1)), i, out=y)
        a, b = arg(op, 0), reverse

    def build(make):
        m = type(g.model)()
        m.CopyFrom(g.before)
        g.model = m
        g.count = 0
        f = Nodes(g)
        make(f, name, v, "tied")
        for o in g.g.output:
            if o.name == name:
                o.name = "tied"
        g.insert(len(g.g.node), f)
        return g.model

    g.base = build(a)
    build(b)
    return True


@kind("domain")
def domain(rng, g):
    """Equations that hold on a part of the numbers only."""
    one = lambda v: const(g, v, 1)  # noqa: E731
    forms = [
        lambda f, x, v, y: f("Exp", f("Log", x), out=y),
        lambda f, x, v, y: f("Sqrt", f("Mul", x, x), out=y),
        lambda f, x, v, y: f("Mul", f("Sqrt", x), f("Sqrt", x), out=y),
        lambda f, x, v, y: f("Div", f("Mul", x, x), x, out=y),
        lambda f, x, v, y: f("Tan", f("Atan", f("Relu", x)), out=y),
        lambda f, x, v, y: f("Mul", x, f("Div", x, f("Abs", x)), out=y),
        lambda f, x, v, y: f("Reciprocal", f("Add", f("Reciprocal", x), const(g, v, 0.001)), out=y),
        lambda f, x, v, y: f("Asin", f("Sin", x), out=y),
        lambda f, x, v, y: f("Sub", f("Add", x, f("Sqrt", f("Sub", one(v), x))), f("Sqrt", f("Sub", one(v), x)), out=y),
        lambda f, x, v, y: f("Pow", f("Pow", x, const(g, v, 2)), const(g, v, 0.5), out=y),
        lambda f, x, v, y: f("Sub", f("Add", x, f("Log", x)), f("Log", x), out=y),
    ]
    return put(rng, g, "f", rng.choice(forms), plain)


@kind("integer range")
def integers(rng, g):
    """Integers that are negative, large or none of a table."""
    forms = [
        lambda f, x, v, y: f("Max", x, const(g, v, 0), out=y),
        lambda f, x, v, y: f("Abs", x, out=y),
        lambda f, x, v, y: f("Cast", f("Cast", x, to=1), out=y, to=NUMBER[v.dtype]),
        lambda f, x, v, y: f("Cast", f("Cast", x, to=5), out=y, to=NUMBER[v.dtype]),
        lambda f, x, v, y: f("Cast", f("Cast", x, to=9), out=y, to=NUMBER[v.dtype]),
        lambda f, x, v, y: f("Min", x, const(g, v, rng.choice([3, 50, 127, 1000])), out=y),
        lambda f, x, v, y: f("Mod", x, const(g, v, 1000), out=y),
        lambda f, x, v, y: f("Where", f("Equal", x, const(g, v, rng.choice([0, 7, -1]))), f("Add", x, const(g, v, 1)), x, out=y),
        lambda f, x, v, y: f("Clip", x, const(g, v, -100), const(g, v, 100), out=y),
    ]
    return put(rng, g, "i", rng.choice(forms), whole)


@kind("bool")
def bools(rng, g):
    """Boolean values that one combination of inputs decides."""
    xs = [x for x in g.edges("b")]
    if len(xs) < 1:
        return False
    x = rng.choice(xs)
    y = rng.choice(xs)
    if x == y or g.values[x].shape != g.values[y].shape:
        return g.behind(rng, x, lambda s, t: [node("And", [s, g.const(np.array(False))], t)])
    if g.where(y) > g.where(x):
        x, y = y, x
    op = rng.choice(["And", "Or", "Xor"])
    return g.behind(rng, x, lambda s, t: [node(op, [s, y], t)])


assert CHANGES
