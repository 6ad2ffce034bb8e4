# Reads jobs as JSON, writes results as JSON: see Job and Result in jax.go.
import json, math, re, sys

import jax
import jax.numpy as jnp
from jax import lax


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


def split(text):
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
            attrs = dict((k.strip(), value(v)) for k, v in (a.split("=", 1) for a in split(m[3] or "")))
            nodes.append((m[1], m[2], attrs, split(m[4])))
        elif line.startswith("return "):
            outputs = split(line[7:])
        elif line.strip():
            raise ValueError("cannot read " + line)
    return inputs, nodes, outputs


def pads(a, sizes, window):
    stride, pad = a.get("stride", (1, 1)), a["pad"]
    if isinstance(pad, tuple):
        return [(pad[0], pad[2]), (pad[1], pad[3])]
    if pad == "valid":
        return [(0, 0), (0, 0)]
    out = []
    for n, k, s in zip(sizes, window, stride):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        small, large = total // 2, total - total // 2
        out.append((small, large) if pad == "same_upper" else (large, small))
    return out


functions = {
    "none": lambda x: x, "relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "exp": jnp.exp, "log": jnp.log,
    "sqrt": jnp.sqrt, "erf": jax.scipy.special.erf, "gelu": lambda x: jax.nn.gelu(x, approximate=False), "abs": jnp.abs,
    "hardswish": jax.nn.hard_swish, "neg": jnp.negative, "reciprocal": jnp.reciprocal,
}


def conv(a, x, w):
    y = lax.conv_general_dilated(x, w, a.get("stride", (1, 1)), pads(a, x.shape[2:], w.shape[2:]),
                                 feature_group_count=a.get("groups", 1), dimension_numbers=("NCHW", "OIHW", "NCHW"))
    return functions[a.get("act", "none")](y)


def window(a, x, start, op):
    k, s = (a["kh"], a["kw"]), a.get("stride", (1, 1))
    return lax.reduce_window(x, start, op, (1, 1) + k, (1, 1) + s, [(0, 0), (0, 0)] + pads(a, x.shape[2:], k))


def average(a, x):
    y = window(a, x, 0.0, lax.add)
    if a.get("border", "counted") == "excluded":
        return y / window(a, jnp.ones_like(x), 0.0, lax.add)
    return y / (a["kh"] * a["kw"])


def layernorm(a, x, scale, bias):
    axes = tuple(range(a["axis"], x.ndim))
    return (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + a["eps"]) * scale + bias


def batchnorm(a, x, *parameters):
    scale, bias, mean, var = (p.reshape((-1,) + (1,) * (x.ndim - 2)) for p in parameters)
    return (x - mean) * lax.rsqrt(var + a["eps"]) * scale + bias


operators = {
    "conv2d": conv, "matmul": lambda a, x, y: x @ y, "poolavg": average, "layernorm": layernorm, "batchnorm": batchnorm,
    "poolmax": lambda a, x: window(a, x, -jnp.inf, lax.max),
    "ewadd": lambda a, x, y: x + y, "ewsub": lambda a, x, y: x - y, "ewmul": lambda a, x, y: x * y, "ewdiv": lambda a, x, y: x / y,
    "ewmax": lambda a, x, y: jnp.maximum(x, y), "ewmin": lambda a, x, y: jnp.minimum(x, y), "smul": lambda a, x, y: x * y,
    "concat": lambda a, x, y: jnp.concatenate([x, y], a["axis"]),
    "slice": lambda a, x: lax.slice_in_dim(x, a["lo"], a["hi"], axis=a["axis"]),
    "transpose": lambda a, x: jnp.transpose(x, a.get("perm", (1, 0))),
    "reshape": lambda a, x: x.reshape(a["shape"]), "broadcast": lambda a, x: jnp.broadcast_to(x, a["shape"]),
    "reducesum": lambda a, x: x.sum(a["axes"], keepdims=bool(a.get("keep", 0))),
    "reducemean": lambda a, x: x.mean(a["axes"], keepdims=bool(a.get("keep", 0))),
    "reducemax": lambda a, x: x.max(a["axes"], keepdims=bool(a.get("keep", 0))),
    "softmax": lambda a, x: jax.nn.softmax(x, a["axis"]), "gather": lambda a, x, i: jnp.take(x, i, axis=a["axis"]),
    "clip": lambda a, x: jnp.minimum(jnp.maximum(x, a["lo"]), a["hi"]),
    "leakyrelu": lambda a, x: jax.nn.leaky_relu(x, a["alpha"]), "elu": lambda a, x: jax.nn.elu(x, a["alpha"]),
    "hardsigmoid": lambda a, x: jnp.clip(a["alpha"] * x + a["beta"], 0, 1), "rsqrt": lambda a, x: lax.rsqrt(x + a["eps"]),
}
for name, f in functions.items():
    operators.setdefault(name, lambda a, x, f=f: f(x))


def run(job):
    inputs, nodes, outputs = parse(job["Text"])
    given = {n: jnp.array(job["Inputs"][n], jnp.int64 if t.startswith("int") else jnp.float64).reshape(s) for n, t, s in inputs}

    def network(floats):
        env = {**given, **floats}
        for name, op, attrs, operands in nodes:
            env[name] = operators[op](attrs, *(env[x] for x in operands))
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
