"""Compares taso optimize with other optimizers of ONNX files. scripts/compare-optimizers is the command."""
import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime

import fetch
import models
import record
import table
import tools

here = os.path.dirname(os.path.abspath(__file__))


def parse():
    p = argparse.ArgumentParser(prog="scripts/compare-optimizers", description="Run time in ONNX Runtime of models and of what "
                                "taso optimize, onnxsim, onnxslim, onnxoptimizer and onnxscript's optimizer make of them.")
    p.add_argument("models", nargs="*", metavar="MODEL", help="the models to take (default all)")
    p.add_argument("--list", action="store_true", help="list the models and stop")
    p.add_argument("--taso", required=True, metavar="PROGRAM", help="the taso program (default bin/taso, which is built)")
    p.add_argument("--taso-flags", default="", metavar="FLAGS", help='more flags of taso optimize, such as "--budget 10s"')
    p.add_argument("--threads", type=int, default=1, help="threads of ONNX Runtime while timing (default 1)")
    p.add_argument("--limit", type=int, default=300, metavar="SECONDS", help="time limit of each optimizer (default 300)")
    p.add_argument("--seconds", type=float, default=15, help="timing per model and level of ONNX Runtime (default 15)")
    p.add_argument("--generations", type=int, default=5, help="how often the sessions are made anew while timing (default 5)")
    p.add_argument("--no-times", action="store_true", help="optimize and compare outputs, without timing")
    p.add_argument("--again", action="store_true", help="time again what an earlier call timed")
    p.add_argument("--json", metavar="FILE", help="write the results to FILE as well, - for standard output instead of the table")
    p.add_argument("--record", metavar="FILE", help="write the results to FILE as a record of taso bench, too")
    p.add_argument("--cache", required=True, help=argparse.SUPPRESS)
    p.add_argument("--environment", required=True, help=argparse.SUPPRESS)
    a = p.parse_args()
    unknown = [m for m in a.models if m not in models.MODELS]
    if unknown:
        p.error(f"no model {', '.join(unknown)}; --list lists them")
    if not a.list and not os.access(a.taso, os.X_OK):
        p.error(f"--taso: no program {a.taso}")
    if a.threads < 1 or a.generations < 1:
        p.error("--threads and --generations must be at least 1")
    return a


def request(**fields):
    """Asks a process of its own, of measure.py."""
    p = subprocess.run([sys.executable, os.path.join(here, "measure.py")], input=json.dumps(fields), capture_output=True, text=True,
                       errors="replace")
    if p.returncode:
        raise fetch.Failed(f"ONNX Runtime: {tools.message(p)}")
    return json.loads(p.stdout)


def kept(path, key, again, make):
    """The result of make in a file, unless it is there for the same key."""
    if not again and os.path.exists(path):
        with open(path) as f:
            old = json.load(f)
        if old["key"] == key:
            return old["result"]
    result = make()
    with open(path + ".part", "w") as f:
        json.dump({"key": key, "result": result}, f, indent=1)
    os.replace(path + ".part", path)
    return result


def compare(m, a):
    """All results of a model, as they are written with --json."""
    r = {"model": m.name, "kind": m.kind, "source": m.source(), "in_repository": m.seen, "exporter": getattr(m, "way", None)}
    try:
        source, samples = fetch.prepare(m, os.path.join(a.cache, "files"))
        model = onnx.load(source)
        r |= {"file": fetch.digest(source), "nodes": tools.nodes(model), "bytes": os.path.getsize(source),
              "opset": max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)}
        if isinstance(m, models.Packaged):
            r["package_file"], r["sha256"] = m.file, m.sha256
        work = os.path.join(a.cache, "results", m.name)
        os.makedirs(work, exist_ok=True)
        inputs = []
        for i, sample in enumerate(samples):
            inputs.append(os.path.join(work, f"sample{i}.npz"))
            np.savez(inputs[-1], **sample)
        targets = {t: os.path.join(work, t + ".onnx") for t in tools.NAMES}
        r["tools"] = {t: tools.optimize(t, m, source, p, a) for t, p in targets.items()}
        files, alias = distinct(r, source, targets)
        common = {"files": files, "samples": inputs, "seed": 1}
        key = {"files": {n: fetch.digest(p) for n, p in files.items()}, "samples": hash_of(samples), "runtime": onnxruntime.__version__}
        kept(os.path.join(work, "original.check.json"), key | {"files": r["file"]}, False, lambda: request(task="run", **common | {"files": {"original": source}}))
        for t, n in alias.items():
            check(r["tools"][t], t, n, m, common, work, key)
        right = {n: p for n, p in files.items() if n == "original" or not r["tools"][n]["wrong"]}
        if a.no_times:
            return r
        ours = alias.get("taso")
        key |= {"right": sorted(right), "ours": ours, "threads": a.threads, "seconds": a.seconds, "generations": a.generations, "processor": processor()}
        timed = kept(os.path.join(work, "times.json"), key, a.again, lambda: request(
            task="time", ours=ours if ours in right else None, threads=a.threads, seconds=a.seconds, generations=a.generations, **(common | {"files": right})))
        r["times"] = timed
    except fetch.Failed as e:
        r["failed"] = str(e)
    return r


def check(t, tool, name, m, common, work, key):
    """Compares the outputs of a tool's file with those of the original, in a process of its own: ONNX Runtime may crash."""
    t["same_as"], t["wrong"] = (name if name != tool else None), False
    if name == "original":
        return
    files = {n: common["files"][n] for n in ("original", name)}
    key = key | {"files": {n: key["files"][n] for n in files}}

    def ask():
        try:
            return request(task="check", **(common | {"files": files}))
        except fetch.Failed as e:
            return {"error": str(e)}
    t["outputs"] = kept(os.path.join(work, f"{name}.check.json"), key, False, ask)
    t["wrong"] = wrong(t["outputs"], m.tolerance)


def wrong(found, tolerance):
    """Whether outputs are wrong. Where ONNX Runtime's own optimizations change the original's outputs, four times that is accepted, up to 5 %."""
    if "error" in found:
        return True
    bound = max(tolerance, min(4 * found["own"], 0.05))
    return any(isinstance(d, str) or d > bound for d in found["deviation"].values())


def distinct(r, source, targets):
    """The files whose graphs differ, by the first tool that wrote them, and for each tool that had a result the name of its file."""
    files, alias, names = {"original": source}, {}, {tools.content(source): "original"}
    for t, path in targets.items():
        if "failed" in r["tools"][t]:
            continue
        name = names.setdefault(tools.content(path), t)
        files.setdefault(name, path)
        alias[t] = name
    return files, alias


def hash_of(samples):
    h = hashlib.sha256()
    for s in samples:
        for n, x in s.items():
            h.update(f"{n} {x.dtype} {x.shape} ".encode() + x.tobytes())
    return h.hexdigest()


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    except OSError:
        return platform.machine()


def command():
    """The call as a user writes it: without the flags that the script adds, and without --record."""
    args, out = iter(sys.argv[1:]), []
    for x in args:
        if x in ("--cache", "--environment", "--taso", "--record"):
            next(args)
        else:
            out.append(x)
    return " ".join(["scripts/compare-optimizers"] + out)


def main():
    start, a = time.monotonic(), parse()
    chosen = [m for m in models.MODELS.values() if not a.models or m.name in a.models]
    if a.list:
        for m in chosen:
            print(f"{m.name:20} {m.kind:15} {'old' if m.seen else 'new'}  {m.source()}")
        return 0
    os.makedirs(os.path.join(a.cache, "files"), exist_ok=True)
    try:
        fetch.exported([m for m in chosen if isinstance(m, models.Export)], os.path.join(a.cache, "files"), a.environment)
    except fetch.Failed as e:
        print(f"compare-optimizers: {e}", file=sys.stderr)
    out = sys.stderr if a.json == "-" else sys.stdout
    print(table.head(a, processor()), file=out, flush=True)
    results = []
    for m in chosen:
        results.append(compare(m, a))
        print(table.lines(results[-1]), file=out, flush=True)
    print(table.summary(results), file=out)
    if a.json:
        versions = {t: tools.version(t, a) for t in tools.NAMES} | {"onnxruntime": onnxruntime.__version__}
        with (sys.stdout if a.json == "-" else open(a.json, "w")) as f:
            json.dump({"processor": processor(), "threads": a.threads, "versions": versions, "models": results}, f, indent=1)
            f.write("\n")
    if a.record:
        record.write(a.record, results, command(), processor(), a, onnxruntime.__version__, time.monotonic() - start)
    return 1 if any(table.bad(r) for r in results) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("compare-optimizers: interrupted; the same command goes on from here")
