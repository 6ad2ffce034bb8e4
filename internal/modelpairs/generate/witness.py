"""Inputs that show a difference."""

import numpy as np

from double import Double
from evaluate import BEYOND, WITHIN, Invalid, deviation, finite


def constants(model):
    """Numbers that a model holds, at which its functions may change."""
    from onnx import numpy_helper

    out = []
    for t in model.graph.initializer:
        try:
            a = numpy_helper.to_array(t)
        except Exception:
            continue
        if a.dtype.kind in "fiu" and 0 < a.size <= 64:
            out += [float(x) for x in a.ravel() if np.isfinite(x)]
    for n in model.graph.node:
        for a in n.attribute:
            if a.type == a.FLOAT:
                out.append(a.f)
            elif a.type == a.FLOATS:
                out += a.floats
            elif a.type == a.TENSOR:
                try:
                    v = numpy_helper.to_array(a.t)
                    if v.dtype.kind in "fiu" and v.size <= 64:
                        out += [float(x) for x in v.ravel() if np.isfinite(x)]
                except Exception:
                    pass
    return [c for c in out if abs(c) < 1e6] or [0.0]


def draw(rng, base, near, way):
    """Values of the type and shape of base."""
    n, d = base.size, base.dtype
    if d.kind == "b":
        if way == 0:
            return base
        p = [0.5, 0.0, 1.0, 0.2, 0.8][way % 5]
        return np.array([rng.random() < p for _ in range(n)], dtype=d).reshape(base.shape)
    if d.kind == "f":
        scale = [1, 1, 8, 3, 100, 16, 0, 0, 0, 1000, 0][way % 11]
        if way == 0:
            return base
        if way % 11 == 10:
            return np.zeros(base.shape, d)
        if scale:
            xs = [rng.uniform(-scale, scale) for _ in range(n)]
        elif way % 11 == 6:  # ties, halves, zeros
            xs = [rng.choice([-2.5, -1.5, -1, -0.5, 0, 0, 0.5, 1, 1.5, 2, 2.5, 3]) for _ in range(n)]
        elif way % 11 == 7:  # at the model's own numbers
            xs = [rng.choice(near) + rng.choice([0, 0, 0, 0.25, -0.25]) for _ in range(n)]
        else:
            xs = [float(rng.choice([-1, 0, 1])) for _ in range(n)]
        return np.array(xs, dtype=np.float64).astype(d).reshape(base.shape)
    # Integers are often positions: those of the test in another order, first.
    if way % 3 == 0 or n == 0:
        xs = list(base.ravel())
        if way:
            rng.shuffle(xs)
        return np.array(xs, dtype=d).reshape(base.shape)
    info = np.iinfo(d)
    if way % 3 == 1:
        lo, hi = [(-4, 5), (0, 3), (-20, 20), (-100, 100)][way % 4]
    else:
        lo, hi = [(-4, 5), (-2**10, 2**10), (-2**26, 2**26), (-2**40, 2**40)][way % 4]
    lo, hi = max(lo, int(info.min)), min(hi, int(info.max))
    xs = [rng.randint(lo, hi) for _ in range(n)]
    return np.array(xs, dtype=d).reshape(base.shape)


def tries(rng, feeds, near, n):
    """Sets of inputs: the test's own first."""
    for k in range(n):
        ways = {name: k for name in feeds}
        if k > 10:
            ways = {name: rng.randrange(11) for name in feeds}
        yield {name: draw(rng, x, near, ways[name]) for name, x in feeds.items()}


def small(feeds):
    """No input is so large that functions overflow."""
    return all(np.isfinite(x.astype(np.float64)).all() and np.abs(x.astype(np.float64)).max(initial=0) <= 16 for x in feeds.values())


def rounded(a, b, x, oa, ob):
    """Reports whether the difference may be due to rounding or underflow: in float64 there is
    none, or one of the models computes something else."""
    try:
        da, db = Double(a.model).run(x), Double(b.model).run(x)
    except Invalid:
        return True
    # What is different because exp(-1000) is 0 is not where the input is nearer to 0.
    near = {name: np.clip(v, -320, 320) if v.dtype.kind == "f" else v for name, v in x.items()}
    if any((near[name] != v).any() for name, v in x.items()):
        try:
            if deviation(Double(a.model).run(near), Double(b.model).run(near)) <= 5e-3:
                return True
        except Invalid:
            return True
    as_was = [y.astype(z.dtype) for y, z in zip(da, oa)], [y.astype(z.dtype) for y, z in zip(db, ob)]
    shapes = [y.shape for y in da] != [y.shape for y in db]
    return deviation(as_was[0], oa) > 1e-2 or deviation(as_was[1], ob) > 1e-2 or deviation(da, db) <= 5e-3 and not shapes


def find(rng, a, b, feeds, near, dtype, n):
    """An input on which both judges say that a and b differ, or None. The second result is
    the number of inputs on which everything ran and the judges agreed with each other."""
    ran = 0
    for k, x in enumerate(tries(rng, feeds, near, n)):
        if k >= 8 and ran == 0:
            return None, 0  # inputs of another kind are no better
        try:
            oa, ra = a.run(x)
            ob, rb = b.run(x)
        except Invalid:
            continue
        if deviation(oa, ra) > WITHIN[dtype] or deviation(ob, rb) > WITHIN[dtype]:
            continue
        ran += 1
        if deviation(oa, ob) > BEYOND[dtype] and deviation(ra, rb) > BEYOND[dtype]:
            if finite(x.values()) and (small(x) or finite(oa) and finite(ob)) and not rounded(a, b, x, oa, ob):
                return x, ran
    return None, ran


def apart(p, q):
    """Reports whether an element is a finite number, or NaN, in one of two lists of outputs only."""
    return any(u.dtype.kind == v.dtype.kind == "f" and u.shape == v.shape and
               ((np.isfinite(u) != np.isfinite(v)).any() or (np.isnan(u) != np.isnan(v)).any()) for u, v in zip(p, q))


def contradicts(rng, a, b, feeds, near, dtype, n):
    """Reports whether two models that should be equal are not on some input, as one of the judges
    has it, and on how many inputs both ran: where outputs are finite, or where one is a number or
    infinite in one model only, as behind a logarithm that has no value."""
    ran = 0
    zeros = {name: np.zeros_like(x) for name, x in feeds.items()}
    for x in [*tries(rng, feeds, near, n), zeros]:
        try:
            oa, ra = a.run(x)
            ob, rb = b.run(x)
        except Invalid:
            continue
        if not small(x):
            continue
        ran += 1
        for p, q in ((oa, ob), (ra, rb)):
            if finite(p) and deviation(p, q) > WITHIN[dtype] or apart(p, q):
                return True, ran
    return False, ran
