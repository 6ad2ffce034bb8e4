# Reads jobs as JSON, writes results as JSON: see Job and Result in jax.go. operators.py is
# in front of this.
import json, re, sys


def value(text):
    text = text.strip()
    if text[:1] in "([":
        inner = text[1:-1].strip()
        return tuple(int(x) for x in inner.split(",") if x.strip()) if inner else ()
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def pieces(text):
    """Splits at commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    parts.append(text[last:])
    return [p.strip() for p in parts if p.strip()]


def parse(text):
    inputs, nodes, outputs = [], [], []
    for line in text.splitlines():
        if m := re.fullmatch(r"(\S+) : (?:weight )?(\w+)\[(.*)\]", line):
            inputs.append((m[1], m[2], tuple(int(x) for x in m[3].split(",") if x.strip())))
        elif m := re.fullmatch(r"(\S+) = (\w+)(?:\[(.*)\])?\(([^()]*)\)", line):
            attrs = dict((k.strip(), value(v)) for k, v in (a.split("=", 1) for a in pieces(m[3] or "")))
            nodes.append((m[1], m[2], attrs, pieces(m[4])))
        elif line.startswith("return "):
            outputs = pieces(line[7:])
        elif line.strip():
            raise ValueError("cannot read " + line)
    return inputs, nodes, outputs


def apply(op, attrs, operands):
    """An operator of operators.py; an activation is one that comes behind."""
    act = attrs.get("act", "none")
    f = globals().get(op) or globals()[op + "_"]
    y = f(*operands, **{k: v for k, v in attrs.items() if k != "act"})
    return y if act == "none" else apply(act, {}, [y])


def run(job):
    inputs, nodes, outputs = parse(job["Text"])
    given = {n: jnp.array(job["Inputs"][n], jnp.int64 if t.startswith("int") else jnp.float64).reshape(s) for n, t, s in inputs}

    def network(floats):
        env = {**given, **floats}
        for name, op, attrs, operands in nodes:
            env[name] = apply(op, attrs, [env[x] for x in operands])
        return [env[o] for o in outputs]

    floats = {n: given[n] for n, t, s in inputs if t.startswith("float")}
    ys, back = jax.vjp(network, floats)
    (ds,) = back([jnp.array(d).reshape(y.shape) for d, y in zip(job["Out"], ys)])
    return {"Values": [y.ravel().tolist() for y in ys], "In": {n: d.ravel().tolist() for n, d in ds.items()}}


def attempt(job):
    try:
        return run(job)
    except Exception as e:  # of this job; the others go on
        return {"Error": f"{type(e).__name__}: {e}"}


json.dump([attempt(job) for job in json.load(sys.stdin)], sys.stdout)
