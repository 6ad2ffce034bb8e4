"""Writes pairs of models that are equal by construction, or different by a witness.

    python3 main.py --seed 1 --count 300 [--first 0 --step 1]

Pair i is made from the seed and i alone. Standard output has, for each, a line of JSON and
the two models: their sizes are in the line. See pairs.go.
"""

import argparse
import base64
import json
import random
import sys

import numpy as np

import cases
import changes
import decorate
import edges
import forms
import same
import supervise
import witness
from editing import Graph, finish
from evaluate import Invalid, narrowest

EQUAL = {**same.KINDS, "other form": [forms.apply]}
DIFFERENT = dict(changes.KINDS)
assert edges


def make(rng, op, all_cases, kind):
    """One try at a pair with an operator in it. Returns (a, b, witness, inputs of a) or why not."""
    case = rng.choice(all_cases[op])
    m, feeds = cases.prepare(rng, case)
    g = Graph(m, feeds)
    if not m.graph.input and not decorate.feed(rng, g):
        return "no input"
    decorate.grow(rng, g)
    try:
        a = finish(g.model, feeds)
        values = a.values(feeds)
    except Invalid:
        if not m.graph.input:
            raise
        a = finish(m, feeds)  # without the nodes that do not fit
        values = a.values(feeds)
    why = "nothing to change"
    for _ in range(4):
        try:
            got = edited(rng, a, feeds, values, op, kind)
        except Invalid:
            got = "a judge does not take it"
        if not isinstance(got, str):
            return got
        why = got
    return why


def edited(rng, a, feeds, values, op, kind):
    """A model with one change of a kind, beside the model. As of make."""
    e = Graph(a.model, feeds, values)
    e.before, e.base, e.op = a.model, None, op
    edit = rng.choice((EQUAL if kind in EQUAL else DIFFERENT)[kind])
    if not edit(rng, e):
        return "nothing to change"
    if e.base is not None:
        a = finish(e.base, feeds)
    if e.model.SerializeToString() == a.model.SerializeToString():
        return "nothing changed"
    b = finish(e.model, e.feeds)
    near = witness.constants(a.model) + witness.constants(b.model)
    dtype = narrowest(a.values(feeds), b.values(e.feeds))
    if kind in EQUAL:
        wrong, ran = witness.contradicts(rng, a, b, feeds, near, dtype, 11)
        if wrong:
            return "contradicted"
        if not ran:
            return "did not run"
        return a, b, None, feeds
    types = {x: v.dtype for x, v in feeds.items()}
    if types != {x: v.dtype for x, v in e.feeds.items()}:
        return a, b, feeds, feeds  # other types of inputs are another model
    x, _ = witness.find(rng, a, b, feeds, near, dtype, 24)
    return (a, b, x, feeds) if x is not None else "no witness"


def variant(rng, a, feeds):
    """A model that computes what another one does, by one to three changes; b"" if none is found."""
    got = None
    for _ in range(rng.randint(1, 3)):
        for _ in range(6):
            try:
                new = edited(rng, got or a, feeds, (got or a).values(feeds), "", rng.choice(sorted(EQUAL)))
            except Invalid:
                continue
            if not isinstance(new, str):
                got = new[1]
                break
    return got.raw if got else b""


def tensors(feeds):
    return [{"name": n, "dtype": str(x.dtype), "sizes": list(x.shape), "data": base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()}
            for n, x in sorted((feeds or {}).items())]


def write(out, head, a=b"", b=b"", c=b""):
    head["a"], head["b"], head["variant"] = len(a), len(b), len(c)
    out.write(json.dumps(head, sort_keys=True).encode() + b"\n" + a + b + c)
    out.flush()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--step", type=int, default=1)
    p.add_argument("--tries", type=int, default=12)
    p.add_argument("--op", default="")
    p.add_argument("--kind", default="")
    p.add_argument("--variants", action="store_true")
    args = p.parse_args()
    by_op = {}
    for c in cases.load():
        if "_expanded" not in c.name:
            by_op.setdefault(c.op, []).append(c)
    ops = sorted(by_op)
    kinds = sorted(DIFFERENT) if args.variants else sorted(EQUAL) + sorted(DIFFERENT)
    out = sys.stdout.buffer

    def work(i):
        rng = random.Random(f"{args.seed}/{i}")
        op = args.op or ops[i % len(ops)]
        turn = args.kind or kinds[(i // len(ops) + i) % len(kinds)]
        why = {}
        for k in range(args.tries):
            # Not every operator has every kind of change.
            kind = turn if args.kind or k < args.tries // 3 else rng.choice(kinds)
            try:
                got = make(rng, op, by_op, kind)
            except Invalid:
                got = "a judge does not take it"
            if isinstance(got, str):
                why[got] = why.get(got, 0) + 1
                continue
            a, b, x, feeds = got
            c = variant(rng, a, feeds) if args.variants else b""
            write(out, {"number": i, "operator": op, "kind": kind, "equal": kind in EQUAL, "witness": tensors(x), "dropped": why}, a.raw, b.raw, c)
            break
        else:
            write(out, {"number": i, "operator": op, "kind": "", "equal": False, "witness": [], "dropped": why})

    supervise.run(range(args.first, args.count, args.step), work,
                  lambda i: write(out, {"number": i, "operator": "", "kind": "", "equal": False, "witness": [], "dropped": {"a judge crashes": 1}}))


if __name__ == "__main__":
    main()
