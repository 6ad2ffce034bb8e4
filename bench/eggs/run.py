"""Runs a program of egglog and prints what came of it, as JSON.

Standard input: the program, then a line "--", then the commands that are timed.
"""
import json
import sys
import time

from egglog.bindings import EGraph


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


program, timed = sys.stdin.read().split("\n--\n")
graph = EGraph()
graph.run_program(*graph.parse_program(program))
commands = graph.parse_program(timed)
before = resident()
start = time.perf_counter()
graph.run_program(*commands)
seconds = time.perf_counter() - start
size = resident() - before
text = graph.serialize([], max_functions=None, max_calls_per_function=None).to_json()
nodes = [n for n in json.loads(text)["nodes"].values() if n["eclass"].startswith("T-")]
print(json.dumps({"nodes": len(nodes), "classes": len({n["eclass"] for n in nodes}), "seconds": seconds, "bytes": size}))
