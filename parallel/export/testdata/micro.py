# A training step on a mesh of devices, for JAX, as taso's planner "by hand" laid it out.
#
#   python FILE           runs steps on virtual devices of the CPU, from random numbers
#   python FILE --check   compares a step with the sequential one, and lists XLA's collectives
#   ... --double          computes in float64 what is float32 or float16 here
import json, math, os, re, sys

DEVICES = 1
MESH = {}  # axes of the mesh, the last one counts fastest
MICRO = 2  # micro-batches
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={DEVICES}"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)  # positions are int64
DOUBLE = "--double" in sys.argv
float64, int64, int32, int8, uint8 = jnp.float64, jnp.int64, jnp.int32, jnp.int8, jnp.uint8
float32, float16 = (float64, float64) if DOUBLE else (jnp.float32, jnp.float16)

# Inputs: type, sizes, and how they lie over the mesh.
INPUTS = {
    "x": {"type": float32, "sizes": (8, 4), "spec": P(), "micro": 0},
    "w": {"type": float32, "sizes": (4, 4), "spec": P(), "weight": True},
    "label": {"type": float32, "sizes": (8, 4), "spec": P(), "micro": 0},
}

# Outputs: how they lie, and the inputs of the next step that they become.
OUTPUTS = {
    "loss": {"spec": P()},
    "w_next": {"spec": P(), "becomes": "w"},
}


# Operators.

def broadcast(x, shape):
    return jnp.broadcast_to(x, shape)


def ewadd(x, y):
    return x + y


def ewmul(x, y):
    return x * y


def ewsub(x, y):
    return x - y


def fill(shape, value=1.0, den=1, dtype=float):
    return jnp.full(shape, value / den, dtype)


def matmul(x, y):
    return x @ y


def reducesum(x, axes, keep=0):
    return x.sum(axes, keepdims=bool(keep))


def reshape(x, shape):
    return x.reshape(shape)


def smul(x, y):
    return x * y


def transpose(x, perm=(1, 0)):
    return jnp.transpose(x, perm)


# What is sent between devices.

def micro_part(x, now, along):
    """The part of x for a micro-batch."""
    n = x.shape[along] // MICRO
    return lax.dynamic_slice_in_dim(x, now * n, n, axis=along)


# The step on the mesh: what each device does with its members, whose sizes are behind.


def member_step(x, w, label):
    t8 = fill(shape=(), den=32, dtype=float32)  # []
    t10 = fill(shape=(), dtype=float32)  # []
    t11 = smul(t10, t8)  # []
    t13 = reshape(t11, shape=(1, 1))  # [1, 1]
    t14 = broadcast(t13, shape=(8, 4))  # [8, 4]
    t22 = fill(shape=(), value=0.5, dtype=float32)  # []

    def micro_batch(sums, now):
        w_whole_a_before, t23_whole_a_before, loss_whole_a_before = sums
        x_shard0_a = x[now]  # [4, 4]
        y = matmul(x_shard0_a, w)  # [4, 4]
        label_shard0_a = label[now]  # [4, 4]
        t5 = ewsub(y, label_shard0_a)  # [4, 4]
        t6 = ewmul(t5, t5)  # [4, 4]
        t7 = reducesum(t6, axes=(0, 1))  # []
        loss = smul(t7, t8)  # []
        t14_shard0_a = micro_part(t14, now, 0)  # [4, 4]
        t15 = ewmul(t14_shard0_a, t5)  # [4, 4]
        t16 = ewadd(t15, t15)  # [4, 4]
        t20 = transpose(x_shard0_a)  # [4, 4]
        t21 = matmul(t20, t16)  # [4, 4]
        t23 = smul(t21, t22)  # [4, 4]
        return (w, t23_whole_a_before + t23, loss_whole_a_before + loss), ()

    (w_whole_a, t23_whole_a, loss_whole_a), () = lax.scan(micro_batch, (jnp.zeros((4, 4), float32), jnp.zeros((4, 4), float32), jnp.zeros((), float32)), jnp.arange(MICRO))
    w_next = ewsub(w_whole_a, t23_whole_a)  # [4, 4]
    return loss_whole_a, w_next


# The sequential step.


def sequential_step(x, w, label):
    y = matmul(x, w)  # [8, 4]
    t5 = ewsub(y, label)  # [8, 4]
    t6 = ewmul(t5, t5)  # [8, 4]
    t7 = reducesum(t6, axes=(0, 1))  # []
    t8 = fill(shape=(), den=32, dtype=float32)  # []
    loss = smul(t7, t8)  # []
    t10 = fill(shape=(), dtype=float32)  # []
    t11 = smul(t10, t8)  # []
    t13 = reshape(t11, shape=(1, 1))  # [1, 1]
    t14 = broadcast(t13, shape=(8, 4))  # [8, 4]
    t15 = ewmul(t14, t5)  # [8, 4]
    t16 = ewadd(t15, t15)  # [8, 4]
    t20 = transpose(x)  # [4, 8]
    t21 = matmul(t20, t16)  # [4, 4]
    t22 = fill(shape=(), value=0.5, dtype=float32)  # []
    t23 = smul(t21, t22)  # [4, 4]
    w_next = ewsub(w, t23)  # [4, 4]
    return loss, w_next


def draw(seed=0):
    """Inputs: state as it begins, positions below what there is, else random numbers."""
    rng = np.random.default_rng(seed)
    given = {}
    for name, i in INPUTS.items():
        sizes = i.get("was", i["sizes"])
        if "start" in i:
            x = np.full(sizes, i["start"])
        elif "below" in i:
            x = rng.integers(0, i["below"], sizes)
        elif i.get("weight") and len(sizes) > 1:
            fan = math.prod(sizes[1:] if len(sizes) == 4 else sizes[:-1])
            x = rng.uniform(-1, 1, sizes) * math.sqrt(3 / fan)
        else:
            x = rng.uniform(0.5 if i.get("weight") else 0, 1, sizes)
        given[name] = longer(jnp.asarray(x, i["type"]), i)
    return given


def longer(x, i):
    """An input with axes as long as the step on the mesh has them: zeros are behind."""
    return jnp.pad(x, [(0, n - m) for n, m in zip(i["sizes"], x.shape)]) if "was" in i else x


def shorter(x, i):
    """An input as it was before its axes were made longer."""
    return lax.slice(x, (0,) * x.ndim, i["was"]) if "was" in i else x


def micro(x, i):
    """An input as the step takes it: an axis of micro-batches in front where it has one."""
    if "micro" not in i:
        return x
    k = i["micro"]
    return jnp.moveaxis(x.reshape(x.shape[:k] + (MICRO, -1) + x.shape[k + 1:]), k, 0)


def compiled(given):
    """The step on the mesh as XLA compiles it, and the inputs as they lie."""
    devices = jax.devices()
    if len(devices) < DEVICES:
        raise SystemExit(f"{DEVICES} devices are needed, {len(devices)} are here")
    mesh = Mesh(np.array(devices[:DEVICES]).reshape(tuple(MESH.values())), tuple(MESH))
    ins = tuple(i["spec"] for i in INPUTS.values())
    outs = tuple(o["spec"] for o in OUTPUTS.values())
    run = jax.jit(jax.shard_map(member_step, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=False),
                  in_shardings=tuple(NamedSharding(mesh, s) for s in ins), out_shardings=tuple(NamedSharding(mesh, s) for s in outs))
    placed = [jax.device_put(micro(x, i), NamedSharding(mesh, i["spec"])) for x, i in zip(given.values(), INPUTS.values())]
    return run.lower(*placed).compile(), placed


BYTES = {"pred": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "bf16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8}
COLLECTIVE = re.compile(r"= (.*?) (all-reduce|reduce-scatter|all-gather|all-to-all|collective-permute|collective-broadcast)(-start)?\(")


def collectives(hlo):
    """The collectives of a compiled program: kind, names of sends, devices of a group, how
    often it is done (0: not known), and of each part that is sent the bytes before."""
    out = []
    function, inside, times = "", {}, {}  # functions, those in which loops with them are, and how often these run
    for line in hlo.splitlines():
        if m := re.match(r"(?:ENTRY )?%?([\w.-]+) \(.*\{$", line):
            function = m[1]
        if m := re.search(r" while\(.*body=%?([\w.-]+)", line):
            n = re.search(r'"known_trip_count":\{"n":"(\d+)"', line)
            inside[m[1]], times[m[1]] = function, int(n[1]) if n else 0
        m = COLLECTIVE.search(line)
        if not m:
            continue
        result, kind, start = m.groups()
        parts = re.findall(r"(\w+)\[([\d,]*)\]", result)
        if start and kind in ("all-gather", "collective-permute"):  # operands are in the result, too
            parts = parts[len(parts) // 2:]
        group = 0
        if g := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
            group = len(g[1].split(","))
        elif g := re.search(r"replica_groups=\[(\d+),(\d+)\]", line):
            group = int(g[2])
        sizes = []
        for t, dims in parts:
            n = BYTES[t] * math.prod(int(d) for d in dims.split(",") if d)
            sizes.append(n // group if kind == "all-gather" else n * group if kind == "reduce-scatter" else n)
        if kind == "all-to-all":  # what goes to each device is an operand of its own
            sizes = [sum(sizes)]
        name = re.search(r'op_name="([^"]*)"', line)
        names = re.findall(r"\bsend\d+\b", name[1] if name else "")
        out.append({"kind": kind, "sends": list(dict.fromkeys(names)), "type": parts[0][0], "bytes": sizes, "devices": group, "in": function})
    for c in out:
        f, c["times"] = c.pop("in"), 1
        while f in inside:
            c["times"] *= times[f]
            f = inside[f]
    return out


def off(got, want, of):
    """The largest difference, relative to the largest element of another tensor."""
    most, apart = float(np.max(np.abs(of), initial=0)), float(np.max(np.abs(got - want), initial=0))
    return apart / most if most and apart else apart


def check():
    """Runs the step on the mesh and the sequential one, and reports what differs."""
    given = draw()
    run, placed = compiled(given)
    want = jax.jit(sequential_step)(*[shorter(x, i) for x, i in zip(given.values(), INPUTS.values())])
    got = run(*placed)
    outputs = []
    for (name, o), x, y in zip(OUTPUTS.items(), got, want):
        if "becomes" in o:
            y = longer(y, INPUTS[o["becomes"]])
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        line = {"name": name, "relative": off(x, y, y), "finite": bool(np.isfinite(x).all() and np.isfinite(y).all())}
        if "becomes" in o:
            line["update"] = off(x, y, y - np.asarray(given[o["becomes"]], np.float64))
        outputs.append(line)
    return {"jax": jax.__version__, "devices": DEVICES, "double": DOUBLE, "loss": float(got[0]), "sequential": float(want[0]),
            "outputs": outputs, "collectives": collectives(run.as_text())}


def train(steps):
    """Runs steps on one batch, and tells the first output of each, the loss."""
    given = draw()
    run, placed = compiled(given)
    at = {name: i for i, name in enumerate(INPUTS)}
    for i in range(steps):
        got = run(*placed)
        print(f"step {i}: {next(iter(OUTPUTS))} {float(got[0]):.6f}")
        for o, x in zip(OUTPUTS.values(), got):
            if "becomes" in o:
                placed[at[o["becomes"]]] = x


if __name__ == "__main__":
    if "--check" in sys.argv:
        json.dump(check(), sys.stdout, indent=1)
        print()
    else:
        train(3)
