"""Runs one exported file through taso and through ONNX Runtime."""
import json
import os
import shutil
import statistics
import subprocess
import time

import numpy as np
import onnxruntime as ort

ROUNDS, ROUND_SECONDS = 3, 0.25  # of measuring, and how long one lasts about


class Failed(Exception):
    """A step that did not do what it should; its text says which and why."""


def taso(binary, *args, accept=(0,)):
    """Runs a command and returns what it printed as JSON."""
    try:
        p = subprocess.run([binary, *args, "--json"], capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Failed(f"{args[0]}: more than ten minutes") from None
    if p.returncode not in accept:
        said = [line for line in p.stderr.splitlines() if line.startswith("taso ")] or p.stderr.splitlines() or ["nothing said"]
        if not p.stderr.strip() and p.stdout.startswith("{"):
            return dict(json.loads(p.stdout), status=p.returncode)
        raise Failed(f"exit status {p.returncode}: {said[0][:400]}")
    return dict(json.loads(p.stdout), status=p.returncode)


class Session:
    """A file in ONNX Runtime on one thread, as it is or with all optimizations."""

    def __init__(self, path, feeds, optimize):
        so = ort.SessionOptions()
        so.log_severity_level, so.intra_op_num_threads, so.inter_op_num_threads = 3, 1, 1
        level = ort.GraphOptimizationLevel
        so.graph_optimization_level = level.ORT_ENABLE_ALL if optimize else level.ORT_DISABLE_ALL
        self.s = ort.InferenceSession(path, so, providers=["CPUExecutionProvider"])
        self.feeds, self.best = feeds, float("inf")

    def run(self):
        return self.s.run(None, self.feeds)

    def measure(self, runs):
        """Keeps the median of the calmest round: of processor time where runs waited for the processor, as taso run does."""
        self.run()
        wall, used = [], []
        for _ in range(runs):
            w, u = time.perf_counter(), time.process_time()
            self.run()
            wall.append(time.perf_counter() - w)
            used.append(time.process_time() - u)
        w, u = statistics.median(wall), statistics.median(used)
        self.best = min(self.best, u if u < 0.95 * w else w)


def outputs(folder, names):
    """The outputs that taso run wrote into a folder, in order."""
    return [np.load(os.path.join(folder, n + ".npy")) for n in names]


def deviation(xs, ys):
    worst = 0.0
    for x, y in zip(xs, ys, strict=True):
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        if x.shape != y.shape:
            raise Failed(f"an output has sizes {x.shape}, and {y.shape} in ONNX Runtime")
        if not np.array_equal(np.isfinite(x), np.isfinite(y)):
            return float("inf")
        ok = np.isfinite(y)
        worst = max(worst, float(np.max(np.abs(x - y)[ok], initial=0) / max(np.max(np.abs(y[ok]), initial=0), 1e-30)))
    return worst


def compare(binary, path, inputs, tolerance, work, budget, timed):
    """All that is asked of a file; a dictionary, in which "failed" lists what went wrong."""
    r = {"failed": []}

    def step(name, f):
        try:
            return f()
        except Failed as e:
            r["failed"].append(f"{name}: {e}")
        except Exception as e:
            r["failed"].append(f"{name}: {type(e).__name__}: {e}")
        return None

    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    copy, better = os.path.join(work, "copy.onnx"), os.path.join(work, "optimized.onnx")
    feed = [a for n, f in inputs.items() for a in ("--input", f"{n}={f}")]

    def read():
        got = taso(binary, "import", path, "--out", copy)
        r["operators"] = sum(o["nodes"] for o in got["operators"])
        r["params"], r["flops"] = got.get("params", 0), got.get("flops", 0)
        opaque = got.get("opaque") or []
        r["opaque"] = len(opaque)
        if opaque:
            raise Failed(f"{len(opaque)} nodes are kept as they are: {opaque[0]['op']}: {opaque[0]['reason']}")
        return True

    def run():
        got = taso(binary, "run", path, "--onnxruntime", "--repeat", "3", "--tolerance", str(tolerance), *feed, accept=(0, 1))
        beside = got["runtime"]
        r["deviation"] = max(o["relative"] for o in beside["outputs"])
        if not beside["agree"]:
            raise Failed(f"deviates by {r['deviation']:.1e} from ONNX Runtime")
        return got["calm"]["s"]

    def verify():
        start = time.perf_counter()
        got = taso(binary, "verify", path, copy, accept=(0, 1))
        r["verify_seconds"] = time.perf_counter() - start
        r["copy"] = got["verdict"]
        if got["status"] or got["verdict"] != "equal":
            raise Failed(f"the copy: {got['verdict']}")

    def optimize():
        got = taso(binary, "optimize", path, "--budget", budget, "--out", better, accept=(0, 1))
        if got["status"] and not got.get("interrupted"):
            raise Failed(str(got.get("refused") or got))
        r["steps"], r["proved"] = got["steps"], got["proof_checked"]
        if not got["proof_checked"]:
            raise Failed("the result has no proof")
        return True

    imported = step("import", read)
    if imported is None and not os.path.exists(copy):
        return r
    step("verify", verify)
    once = step("run", run)
    optimized = step("optimize", optimize) if once else None
    feeds = {n: np.load(f) for n, f in inputs.items()}
    off, on = step("ONNX Runtime", lambda: Session(path, feeds, False)), step("ONNX Runtime", lambda: Session(path, feeds, True))
    if off is None or on is None or once is None:
        return r
    theirs = off.run()
    best = {}
    runs = max(3, min(200, int(ROUND_SECONDS / max(once, 1e-6))))
    for _ in range(ROUNDS if timed else 1):
        for s in (off, on):
            s.measure(runs)
        for name, file in (("read", path), ("optimized", better)):
            if name == "optimized" and not optimized:
                continue
            folder = os.path.join(work, name)
            got = step(f"run {name}", lambda: taso(binary, "run", file, "--repeat", str(runs), "--output", folder, *feed))
            if got is None:
                continue
            best[name] = min(best.get(name, float("inf")), got["calm"]["s"])
    for name in best:
        names = [o.name for o in off.s.get_outputs()]
        d = step(f"run {name}", lambda: deviation(outputs(os.path.join(work, name), names), theirs))
        if d is not None and d > tolerance:
            r["failed"].append(f"run {name}: deviates by {d:.1e} from ONNX Runtime")
    r.update(off=off.best * 1e3, on=on.best * 1e3, **{k: v * 1e3 for k, v in best.items()})
    return r
