# Runs programs, one after the other: a line of JSON in, with a program and its arguments, a
# line out, with what it wrote or why it failed.
import contextlib, gc, io, json, sys, traceback

import jax

jax.devices()  # now: programs ask for as many as they need, and later it is too late
said = sys.stdout
for line in sys.stdin:
    job = json.loads(line)
    out, answer = io.StringIO(), {}
    sys.argv = ["program.py"] + (job["args"] or [])
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(job["program"], "program.py", "exec"), {"__name__": "__main__"})
        answer["out"] = out.getvalue()
    except BaseException:
        answer["error"] = traceback.format_exc()
    jax.clear_caches()
    gc.collect()
    print(json.dumps(answer), file=said, flush=True)
