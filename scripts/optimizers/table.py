"""The table of scripts/compare-optimizers, at most 100 columns wide."""
import tools

SHORT = {"onnxsim": "sim", "onnxslim": "slim", "onnxoptimizer": "optim", "onnxscript": "script"}
LEVELS = ("on", "off")


def head(a, processor):
    return f"""ONNX Runtime on {processor}, threads: {a.threads}. Change of run time from the original in percent: negative is faster.
ORT: ONNX Runtime's optimizations on and off. = means that the graph is unchanged. In brackets: 95 % interval.

                            nodes      original  taso                  onnx-
model               ORT  before after        ms  change                """ + "".join(f"{SHORT[t]:>7}" for t in tools.OTHERS)


def change(r, tool, level):
    """The change by a tool with its interval, or one word."""
    t = r["tools"][tool]
    if "failed" in t:
        return "failed"
    if t["wrong"]:
        return "wrong"
    if t["same_as"] == "original":
        return "="
    if "times" not in r:
        return "right"
    return r["times"][level]["change"].get(t["same_as"] or tool)


def percent(x):
    return f"{x:+.1f}" if abs(x) < 99.95 else f"{x:+.0f}"


def with_interval(c):
    return f"{percent(c[0])} [{percent(c[1])}, {percent(c[2])}]"


def lines(r):
    """The lines of a model: one for each level of ONNX Runtime, and what failed."""
    if "failed" in r:
        return f"{r['model']:19} FAILED {r['failed']}"[:400]
    ours = r["tools"]["taso"]
    out = []
    for level in LEVELS:
        c = change(r, "taso", level)
        text = c if isinstance(c, str) else with_interval(c)
        ms = f"{r['times'][level]['ms']['original']:.3g}" if "times" in r else "-"
        others = "".join(f"{x if isinstance(x, str) else percent(x[0]):>7}" for x in (change(r, t, level) for t in tools.OTHERS))
        first = f"{r['model']:19} {level:3} {r['nodes']:7} {ours.get('nodes', '-')!s:>5}" if level == "on" else f"{'':19} {level:3} {'':13}"
        out.append(f"{first} {ms:>9}  {text:21} {others}".rstrip())
    for t in tools.NAMES:
        if "failed" in r["tools"][t]:
            out.append(f"    {t} failed: {r['tools'][t]['failed']}"[:300])
        elif r["tools"][t]["wrong"]:
            out.append(f"    {t} wrong: {why(r['tools'][t]['outputs'])}"[:300])
    for level in LEVELS:
        again = r.get("times", {}).get(level, {}).get("again")
        if again:
            c = again["change"][ours["same_as"] or "taso"]
            out.append(f"    {level}, measured again: {with_interval(c)} with 99.9 % confidence")
    return "\n".join(out)


def why(found):
    """What is wrong with outputs."""
    if "error" in found:
        return found["error"]
    return "relative deviation " + ", ".join(f"{d if isinstance(d, str) else format(d, '.1e')} ({level})" for level, d in found["deviation"].items())


def slower(r, level):
    """Whether the result of taso is slower than the original: with 95 % confidence, and when measured again with 99.9 %."""
    t = r.get("times", {}).get(level)
    if not t or "again" not in t:
        return False
    return t["again"]["change"][r["tools"]["taso"]["same_as"] or "taso"][1] > 0


def bad(r):
    """Whether the exit status is 1 because of this model."""
    if "failed" in r:
        return True
    ours = r["tools"]["taso"]
    return "failed" in ours or ours["wrong"] or any(slower(r, level) for level in LEVELS)


def count(results, level, test):
    """How many models with a right result of taso pass a test of its change."""
    n = 0
    for r in results:
        if "times" in r and "failed" not in r["tools"]["taso"] and not r["tools"]["taso"]["wrong"]:
            c = change(r, "taso", level)
            n += bool(test([0.0] * 3 if isinstance(c, str) else c, r["times"][level]))
    return n


def summary(results):
    """What the table shows, in numbers."""
    ok = [r for r in results if "failed" not in r]
    out = ["", f"{len(results)} models, {sum(not r['in_repository'] for r in results)} of them nowhere else in the repository, {len(results) - len(ok)} failed"]
    for t in tools.NAMES:
        failed, wrong = sum("failed" in r["tools"][t] for r in ok), sum(r["tools"][t].get("wrong", False) for r in ok)
        out.append(f"{t + ':':15} failed {failed}, wrong {wrong}, unchanged {sum(r['tools'][t].get('same_as') == 'original' for r in ok)}")
    if not any("times" in r for r in ok):
        return "\n".join(out)
    for level in LEVELS:
        out.append(f"taso, optimizations {level}: faster {count(results, level, lambda c, t: c[2] < 0)}, "
                   f"by more than 5 % {count(results, level, lambda c, t: c[0] < -5 and c[2] < 0)}; "
                   f"slower {sum(slower(r, level) for r in results)}; "
                   f"fastest or within the interval of the fastest {count(results, level, lambda c, t: t.get('from_fastest', [0] * 3)[1] <= 0)}")
    return "\n".join(out)
