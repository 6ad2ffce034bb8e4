"""Runs the optimizers, each in a process of its own, and keeps their results."""
import hashlib
import importlib.metadata
import json
import os
import shlex
import subprocess
import sys
import time

import onnx

from fetch import digest

OTHERS = ["onnxsim", "onnxslim", "onnxoptimizer", "onnxscript"]
NAMES = ["taso"] + OTHERS


def version(tool, a):
    """The version of a tool: for taso, the digest of the program and the flags."""
    if tool == "taso":
        return f"{digest(a.taso)[:16]} {a.taso_flags}".strip()
    return importlib.metadata.version(tool)


def optimize(tool, m, source, target, a):
    """Runs a tool and returns a record: "file" (the digest), "nodes", "bytes", "seconds", or "failed" and why."""
    keep = target + ".json"
    key = {"source": digest(source), "version": version(tool, a), "limit": a.limit} | ({"flags": m.flags()} if tool == "taso" else {})
    if os.path.exists(keep):
        with open(keep) as f:
            old = json.load(f)
        if old["key"] == key and (old.get("failed") or os.path.exists(target) and digest(target) == old["file"]):
            return old
    if os.path.exists(target):
        os.remove(target)
    r = {"key": key} | run(tool, m, source, target, a)
    with open(keep, "w") as f:
        json.dump(r, f, indent=1)
    return r


def run(tool, m, source, target, a):
    env = dict(os.environ, TASO_ORT_PYTHON=sys.executable)
    if tool == "taso":
        args = [a.taso, "optimize", source, "--out", target, *m.flags(), *shlex.split(a.taso_flags)]
    else:
        args = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tool.py"), tool, source, target]
    begin = time.perf_counter()
    try:
        p = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=a.limit, env=env)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {a.limit} s"}
    r = {"seconds": round(time.perf_counter() - begin, 2)}
    # taso optimize ends with status 1 and a result where a budget ended the search.
    if p.returncode not in ((0, 1) if tool == "taso" else (0,)) or not os.path.exists(target):
        return r | {"failed": message(p)}
    try:
        model = onnx.load(target, load_external_data=False)
    except Exception as e:
        return r | {"failed": f"its file cannot be read: {e}"}
    if tool == "taso":
        r["report"] = p.stdout.splitlines()[:12]
    return r | {"file": digest(target), "nodes": nodes(model), "bytes": os.path.getsize(target)}


def message(p):
    """Why a process failed: the error, and nothing of a stack trace."""
    if p.returncode < 0:
        return f"ended by signal {-p.returncode}"
    lines = [s for s in p.stderr.splitlines() if s.strip()] or [s for s in p.stdout.splitlines() if s.strip()]
    at = next((i for i, s in enumerate(lines) if s.startswith("taso ")), len(lines) - 1)
    text = " ".join(s.strip() for s in lines[max(at, 0):])
    for a in map(str, p.args):  # files without their folders, which differ between machines
        if os.path.isabs(a):
            text = text.replace(os.path.dirname(a) + os.sep, "")
    return f"exit status {p.returncode}: {text[:500] or 'no message'}"


def nodes(model):
    """The nodes of a model and of the graphs inside its nodes, without constants."""
    def count(list):
        return sum((n.op_type != "Constant") + sum(count(g.node) for x in n.attribute for g in [x.g, *x.graphs]) for n in list)
    return count(model.graph.node) + sum(count(f.node) for f in model.functions)



def content(path):
    """The digest of what a file computes: not of names of producers, versions and metadata, which serialization by a tool may change."""
    m = onnx.load(path)
    h = hashlib.sha256(m.graph.SerializeToString(deterministic=True))
    for part in [*sorted(m.opset_import, key=lambda o: o.domain), *m.functions]:
        h.update(part.SerializeToString(deterministic=True))
    return h.hexdigest()
