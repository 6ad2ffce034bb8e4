"""The results as a record of taso bench (bench/records), from which RESULTS.md is made."""
import datetime
import json
import subprocess

import table
import tools

NUMBER = {"unit": "%", "source": "recorded"}
COLUMNS = [{"name": "model"}, {"name": "optimizations"}, {"name": "nodes before", "source": "counted"}, {"name": "nodes after, taso", "source": "counted"},
           {"name": "original", "unit": "ms", "source": "recorded"}, {"name": "taso"} | NUMBER, {"name": "taso, 95 % interval from"} | NUMBER,
           {"name": "to"} | NUMBER] + [{"name": t} | NUMBER for t in tools.OTHERS]
NOTE = ("Change of the run time in ONNX Runtime, with its optimizations on and off; negative is faster. "
        "Original, results of taso and of four other optimizers ran in turn.")
WORDS = {"=": "unchanged"}


def cells(r, level):
    """A row: a model at one level of ONNX Runtime."""
    ours = table.change(r, "taso", level)
    row = [f"`{r['model']}`", level, r["nodes"], r["tools"]["taso"].get("nodes"), float(f"{r['times'][level]['ms']['original']:.3g}")]
    row += [WORDS.get(ours, ours), None, None] if isinstance(ours, str) else [round(x, 1) for x in ours]
    for t in tools.OTHERS:
        c = table.change(r, t, level)
        row.append(WORDS.get(c, c) if isinstance(c, str) else round(c[0], 1))
    return row


def write(path, results, command, processor, a, runtime, seconds):
    """Writes the record; models that failed before anything was timed have no row."""
    rows = [cells(r, level) for r in results if "times" in r for level in table.LEVELS]
    threads = "one thread" if a.threads == 1 else f"{a.threads} threads"
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    record = {"name": "compare-optimizers", "date": datetime.date.today().isoformat(), "commit": commit,
              "machine": f"{processor}, {threads}, ONNX Runtime {runtime}", "command": command, "seconds": round(seconds),
              "tables": [{"columns": COLUMNS, "rows": [{"cells": c} for c in rows]}], "notes": [NOTE]}
    with open(path, "w") as f:
        json.dump(record, f, indent=1, ensure_ascii=False)
        f.write("\n")
