"""Runs the programs of egglog on the standard input, with a zero byte
and a line break between them, each by itself."""
import sys

from egglog.bindings import EGraph, EggSmolError

for number, program in enumerate(sys.stdin.read().split("\0\n")):
    graph = EGraph()
    try:
        graph.run_program(*graph.parse_program(program))
    except EggSmolError as e:
        sys.exit(f"program {number}: {e}")
