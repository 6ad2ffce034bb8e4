"""Exports the models, compares each with ONNX Runtime, prints a table. scripts/models is the command."""
import argparse
import json
import os
import shutil
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
here = os.path.dirname(os.path.abspath(__file__))


def parse():
    p = argparse.ArgumentParser(prog="scripts/models", description="Models of today, exported by PyTorch with random weights, "
                                "in taso and in ONNX Runtime: are they read, are the numbers the same, how long does a run take?")
    p.add_argument("models", nargs="*", metavar="MODEL", help="those to take (default all)")
    p.add_argument("--list", action="store_true", help="list the models and stop")
    p.add_argument("--exporter", choices=["trace", "dynamo", "both", "either"], default="either",
                   help="torch.onnx.export by tracing, by torch.export, both, or one after the other in turn (default)")
    p.add_argument("--taso", required=True, help=argparse.SUPPRESS)
    p.add_argument("--cache", required=True, help=argparse.SUPPRESS)
    p.add_argument("--budget", default="5s", help="time for each search of taso optimize (default 5s)")
    p.add_argument("--export", action="store_true", help="export again what is in the cache folder, too")
    p.add_argument("--no-times", action="store_true", help="measure shortly: the times say little")
    p.add_argument("--json", metavar="FILE", help="write the results to FILE as well, - for standard output instead of the table")
    return p.parse_args()


def main():
    a = parse()
    import zoo, language, vision, other, precision  # noqa: F401, E401: each registers its models
    unknown = set(a.models) - set(zoo.MODELS)
    if unknown:
        sys.exit(f"models: no model {', '.join(sorted(unknown))}; --list lists them")
    chosen = [m for n, m in zoo.MODELS.items() if not a.models or n in a.models]
    if a.list:
        for m in chosen:
            print(f"{m.name:24} {m.kind:16} {', '.join(m.ways()):14} {m.note}")
        return 0
    import compare
    out = sys.stderr if a.json == "-" else sys.stdout
    os.makedirs(a.cache, exist_ok=True)
    print(HEAD, file=out, flush=True)
    results, begin = [], time.perf_counter()
    for i, m in enumerate(zoo.MODELS.values()):
        if m not in chosen:
            continue
        for way in m.choose(a.exporter, i):
            r = {"model": m.name, "kind": m.kind, "exporter": way, "tolerance": m.tolerance}
            try:
                path, inputs = zoo.exported(m, a.cache, way, a.export, here)
            except RuntimeError as e:
                r["failed"] = [f"export: {e}"]
            else:
                work = os.path.join(a.cache, "work")
                r |= compare.compare(a.taso, path, inputs, m.tolerance, work, a.budget, not a.no_times)
                shutil.rmtree(work, ignore_errors=True)
            results.append(r)
            print(line(r), file=out, flush=True)
    for text in summary(results, time.perf_counter() - begin):
        print(text, file=out)
    if a.json:
        with (sys.stdout if a.json == "-" else open(a.json, "w")) as f:
            json.dump(results, f, indent=1)
            f.write("\n")
    return 1 if any(r["failed"] for r in results) else 0


HEAD = """Times in ms, one thread: ONNX Runtime with the file as it is (off) and with all optimizations (on), taso with
the file as read, and with the result of taso optimize. Ratios are of ONNX Runtime's time over the better of taso's.
Relative deviation of taso's numbers from ONNX Runtime's (off). Copy: what taso verify says of import and export.

model                    exporter  ops  deviation  copy    verify    off      on       read     optimized  off/taso on/taso"""


def ms(r, k):
    return f"{r[k]:<8.3g}" if k in r else f"{'-':8}"


def better(r):
    return min((r[k] for k in ("read", "optimized") if k in r), default=None)


def line(r):
    t = better(r)
    ratios = f"{r['off'] / t:<8.2f} {r['on'] / t:<.2f}" if t else ""
    seconds = f"{r['verify_seconds']:.1f} s" if "verify_seconds" in r else "-"
    dev = f"{r['deviation']:.1e}" if "deviation" in r else "-"
    text = (f"{r['model']:24} {r['exporter']:8} {r.get('operators', '-')!s:>5} {dev:>9}   {r.get('copy', '-'):7} {seconds:8} "
            f"{ms(r, 'off')} {ms(r, 'on')} {ms(r, 'read')} {ms(r, 'optimized')}   {ratios}")
    return "\n".join([text.rstrip()] + [f"    FAILED {f}" for f in r["failed"]])


def summary(results, seconds):
    ok = [r for r in results if not r["failed"]]
    timed = [r for r in ok if better(r)]
    yield ""
    yield f"{len(ok)} of {len(results)} files run, with the numbers of ONNX Runtime, equal copies and proved results; {seconds:.0f} s"
    for k, what in (("off", "as the file is"), ("on", "with all optimizations")):
        n = sum(r[k] >= better(r) for r in timed)
        yield f"{n} of them are at least as fast as ONNX Runtime {what}"


sys.exit(main())
