"""Compares and times the files of one model in one ONNX Runtime process: measure.py reads a request as JSON from standard
input and prints a result. main.py runs it."""
import json
import os
import sys
import time

import numpy as np
import onnxruntime as ort

LEVELS = {"on": ort.GraphOptimizationLevel.ORT_ENABLE_ALL, "off": ort.GraphOptimizationLevel.ORT_DISABLE_ALL}
TURN = 0.004  # seconds that one file runs before the next has its turn, at least
RESAMPLES = 2000  # of the bootstrap


def session(path, level, threads):
    o = ort.SessionOptions()
    o.log_severity_level, o.intra_op_num_threads, o.inter_op_num_threads = 4, threads, 1
    o.graph_optimization_level = LEVELS[level]
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def outputs(s, sample):
    return dict(zip([o.name for o in s.get_outputs()], s.run(None, sample)))


def deviation(xs, ys):
    """The largest difference of two runs, relative to the largest element of an output; infinite where they cannot be compared."""
    if list(xs) != list(ys):
        return float("inf")
    worst = 0.0
    for x, y in zip(xs.values(), ys.values()):
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape or x.dtype != y.dtype:
            return float("inf")
        if x.dtype.kind not in "fiub":
            worst = max(worst, 0.0 if np.array_equal(x, y) else float("inf"))
            continue
        x, y = x.astype(np.float64), y.astype(np.float64)
        if not np.array_equal(np.isfinite(x), np.isfinite(y)):
            return float("inf")
        ok = np.isfinite(y)
        worst = max(worst, float(np.max(np.abs(x - y)[ok], initial=0) / max(np.max(np.abs(y[ok]), initial=0), 1e-30)))
    return worst


def check(files, samples):
    """The deviation of a file from the original for each level, and "own": that of the original with optimizations on from itself with them off."""
    original, other = files
    reference = {level: run(files[original], level, samples) for level in LEVELS}
    r = {"own": max(deviation(x, y) for x, y in zip(reference["on"], reference["off"])), "deviation": {}}
    for level in LEVELS:
        try:
            d = max(deviation(x, y) for x, y in zip(run(files[other], level, samples), reference[level]))
        except Exception as e:
            return {"error": str(e).splitlines()[0][:300]}
        r["deviation"][level] = d if np.isfinite(d) else "outputs of other names, types, sizes or infinities"
    return r


def run(path, level, samples):
    s = session(path, level, 1)
    return [outputs(s, x) for x in samples]


def clock(threads):
    """Of one thread, its processor time: other programs that use the machine are not measured. Of more, the time that passes."""
    return time.thread_time if threads == 1 else time.perf_counter


def rounds(files, sample, level, threads, generations, seconds, rng):
    """Seconds of a run by file: an array of generations (sessions of their own) and rounds. In a round each file has one turn, in random order."""
    now, names = clock(threads), list(files)
    times = {n: [] for n in names}
    count = None
    for _ in range(generations):
        sessions = {n: session(files[n], level, threads) for n in rng.permutation(names)}
        once = {}
        for n, s in sessions.items():
            s.run(None, sample)
            begin = time.perf_counter()
            s.run(None, sample)
            once[n] = time.perf_counter() - begin
        runs = {n: max(1, int(np.ceil(TURN / max(t, 1e-6)))) for n, t in once.items()}
        if count is None:
            one = sum(once[n] * runs[n] for n in names)
            count = int(np.clip(seconds / generations / one, 4, 60))
        got = {n: [] for n in names}
        for _ in range(count):
            for n in rng.permutation(names):
                s = sessions[n]
                begin = now()
                for _ in range(runs[n]):
                    s.run(None, sample)
                got[n].append((now() - begin) / runs[n])
        for n in names:
            times[n].append(got[n])
    return {n: np.array(t) for n, t in times.items()}


def interval(logs, confidence, rng):
    """Mean over generations of the median logarithm, and its bootstrap interval: generations are drawn, and rounds in each."""
    g, k = logs.shape
    drawn = rng.integers(0, g, (RESAMPLES, g))
    at = rng.integers(0, k, (RESAMPLES, g, k))
    means = np.median(np.take_along_axis(logs[drawn], at, 2), axis=2).mean(1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return [float(x) for x in (np.median(logs, axis=1).mean(), low, high)]


def change(times, name, base, confidence, rng):
    """The change of run time from a base in percent, with its interval: below 0 is faster."""
    return [100 * float(np.expm1(x)) for x in interval(np.log(times[name]) - np.log(times[base]), confidence, rng)]


def measure(request, level, confidence, generations, seconds):
    rng = np.random.default_rng(request["seed"])
    files, ours = request["files"], request["ours"]
    times = rounds(files, samples(request)[0], level, request["threads"], generations, seconds, rng)
    r = {"confidence": confidence, "generations": generations, "rounds": int(times["original"].shape[1]),
         "ms": {n: 1e3 * float(np.median(t)) for n, t in times.items()},
         "change": {n: change(times, n, "original", confidence, rng) for n in files if n != "original"}}
    if ours:
        r["fastest"] = min(files, key=lambda n: r["change"][n][0] if n != "original" else 0)
        r["from_fastest"] = change(times, ours, r["fastest"], confidence, rng)
    return r


def samples(request):
    out = []
    for path in request["samples"]:
        with np.load(path) as f:
            out.append({n: f[n] for n in f.files})
    return out


def main():
    request = json.load(sys.stdin)
    r = {}
    if request["task"] == "run":
        for level in LEVELS:
            run(request["files"]["original"], level, samples(request))
    elif request["task"] == "check":
        r = check(request["files"], samples(request))
    else:
        for level in LEVELS:
            r[level] = measure(request, level, 0.95, request["generations"], request["seconds"])
            if r[level]["change"].get(request["ours"], [0] * 3)[1] > 0:
                r[level]["again"] = measure(request, level, 0.999, 2 * request["generations"], 2 * request["seconds"])
    json.dump(r, sys.stdout)


if __name__ == "__main__":
    os.environ.pop("OMP_NUM_THREADS", None)
    main()
