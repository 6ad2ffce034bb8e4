"""Writes node tests, and node tests changed in one place, with what both judges compute.

    python3 mutants.py --seed 1 --count 300 [--first 0 --step 1]

Model i is a test as it is if i is below the number of tests, and a changed one otherwise. A
line of JSON and the model are written for each; see reading.go.
"""

import argparse
import random
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import cases
import changes
import supervise
from cases import NUMBER, NUMPY
from editing import Graph
from evaluate import OPTIONS, Invalid, by_reference, ort
from main import tensors, write

NAMES = ["attribute changed", "attribute changed", "attribute left out", "attribute added", "attribute added", "input left out or added", "operands exchanged", "types", "types", "operator set"]


def types(rng, g):
    """All inputs of one type get another type."""
    if not g.feeds:
        return False
    d = rng.choice(sorted({x.dtype for x in g.feeds.values()}, key=str))
    to = np.dtype(rng.choice(sorted(NUMPY.values(), key=str)))
    if to == d:
        return False
    for i in g.g.input:
        if g.feeds[i.name].dtype == d:
            i.type.tensor_type.elem_type = NUMBER[to]
            x = g.feeds[i.name]
            if to.kind == "u":
                x = np.abs(x) if x.dtype.kind in "if" else x
            if to.kind in "iu" and x.dtype.kind in "iuf":
                x = np.clip(x, -100 if to.kind == "i" else 0, 100)
            g.feeds[i.name] = x.astype(to)
    for t in g.g.initializer:
        if t.data_type == NUMBER.get(d):
            t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t).astype(to), t.name))
    for n in g.g.node:
        for a in n.attribute:
            if n.op_type == "Cast" and a.name == "to" and a.i == NUMBER[d]:
                a.i = NUMBER[to]
    return True


def operator_set(rng, g):
    cases.set_opset(g.model, rng.randint(7, 26))
    return cases.opset(g.model) != g.version


def mutate(rng, case, m, feeds):
    what = rng.choice(NAMES)
    values = {x: v for x, v in zip([o.name for o in m.graph.output], case.outs)} if hasattr(case, "outs") else {}
    g = Graph(m, dict(feeds), values)
    g.op = m.graph.node[0].op_type
    f = {"types": types, "operator set": operator_set}.get(what) or rng.choice(changes.KINDS[what])
    return (g.model, g.feeds, what) if f(rng, g) else None


def by_ort(m, feeds):
    s = ort.InferenceSession(m.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])
    return s.run(None, feeds)


def by_judge(run):
    """The outputs, or why there are none."""
    try:
        return [np.asarray(x) for x in run()]
    except Exception as e:
        return str(e) or type(e).__name__


def outputs(names, xs):
    """Outputs as the line of JSON has them, or why there are none."""
    if isinstance(xs, str):
        return [], xs[:200]
    if not all(isinstance(x, np.ndarray) and x.dtype in NUMBER for x in xs):
        return [], "an output is not a tensor of numbers"
    return [t for n, x in zip(names, xs) for t in tensors({n: x})], ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--step", type=int, default=1)
    p.add_argument("--op", default="")
    p.add_argument("--kind", default="")
    args = p.parse_args()
    tests = [c for c in cases.load() if not args.op or c.op == args.op]
    out = sys.stdout.buffer

    def work(i):
        rng = random.Random(f"{args.seed}/{i}")
        case = tests[(i * 7919 if args.count < len(tests) else i) % len(tests)]
        m = onnx.ModelProto()
        m.CopyFrom(case.model)
        feeds = dict(case.feeds)
        if cases.opset(m) > 26:
            cases.set_opset(m, 24)
        m.ir_version = min(m.ir_version, 10)
        what = "as it is"
        if i >= len(tests) or args.count < len(tests) and i % 4:
            for _ in range(8):
                try:
                    if (got := mutate(rng, case, m, feeds)) is not None:
                        m, feeds, what = got
                        break
                except (Invalid, onnx.defs.SchemaError):
                    pass
        del m.graph.value_info[:]
        ref = by_judge(lambda: by_reference(ReferenceEvaluator(m), feeds))
        if not isinstance(ref, str) and all(x.dtype in NUMBER for x in ref):
            declared = [helper.make_tensor_value_info(o.name, NUMBER[x.dtype], x.shape) for o, x in zip(m.graph.output, ref)]
            del m.graph.output[:]
            m.graph.output.extend(declared)
        elif what != "as it is":
            for o in m.graph.output:
                o.type.Clear()
        names = [o.name for o in m.graph.output]
        head = {"number": i, "case": case.name, "operator": case.op, "kind": what, "inputs": tensors(feeds)}
        head["reference"], head["referenceError"] = outputs(names, ref)
        head["runtime"], head["runtimeError"] = outputs(names, ref if isinstance(ref, str) and "too long" in ref else by_judge(lambda: by_ort(m, feeds)))
        write(out, head, m.SerializeToString())


    supervise.run(range(args.first, args.count, args.step), work,
                  lambda i: write(out, {"number": i, "kind": "a judge crashes", "runtimeError": "crashed", "referenceError": "crashed", "inputs": []}))


if __name__ == "__main__":
    main()
