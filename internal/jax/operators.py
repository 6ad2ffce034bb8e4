# What JAX calls each operator: one function an operator, of its operands and, by name, its
# attributes. A name that Python has taken gets an underscore behind it. The functions are
# used by grad.py and copied into the programs of parallel/export, each with those that it
# needs. What is to be applied to the result of a convolution (its act) callers apply.


def borders(pad, sizes, window, stride):
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


def windows(x, kh, kw, stride, pad, start, join):
    return lax.reduce_window(x, start, join, (1, 1, kh, kw), (1, 1) + stride, [(0, 0), (0, 0)] + borders(pad, x.shape[2:], (kh, kw), stride))


def conv2d(x, w, pad, stride=(1, 1), groups=1, dilation=(1, 1)):
    reach = tuple((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation))
    return lax.conv_general_dilated(x, w, stride, borders(pad, x.shape[2:], reach, stride), rhs_dilation=dilation,
                                    feature_group_count=groups, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def poolmax(x, kh, kw, pad, stride=(1, 1)):
    return windows(x, kh, kw, stride, pad, -jnp.inf, lax.max)


def poolavg(x, kh, kw, pad, stride=(1, 1), border="counted"):
    total = windows(x, kh, kw, stride, pad, 0.0, lax.add)
    return total / (kh * kw if border == "counted" else windows(jnp.ones_like(x), kh, kw, stride, pad, 0.0, lax.add))


def layernorm(x, scale, bias, axis, eps):
    axes = tuple(range(axis, x.ndim))
    return (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + eps) * scale + bias


def batchnorm(x, scale, bias, mean, var, eps):
    scale, bias, mean, var = (p.reshape((-1,) + (1,) * (x.ndim - 2)) for p in (scale, bias, mean, var))
    return (x - mean) * lax.rsqrt(var + eps) * scale + bias


def matmul(x, y):
    return x @ y


def ewadd(x, y):
    return x + y


def ewsub(x, y):
    return x - y


def ewmul(x, y):
    return x * y


def ewdiv(x, y):
    return x / y


def ewmax(x, y):
    return jnp.maximum(x, y)


def ewmin(x, y):
    return jnp.minimum(x, y)


def smul(x, y):
    return x * y


def abs_(x):
    return jnp.abs(x)


def neg(x):
    return -x


def exp(x):
    return jnp.exp(x)


def log(x):
    return jnp.log(x)


def sqrt(x):
    return jnp.sqrt(x)


def rsqrt(x, eps):
    return lax.rsqrt(x + eps)


def reciprocal(x):
    return jnp.reciprocal(x)


def erf(x):
    return lax.erf(x)


def tanh(x):
    return jnp.tanh(x)


def sigmoid(x):
    return jax.nn.sigmoid(x)


def relu(x):
    return jax.nn.relu(x)


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def step(x):
    return (x > 0).astype(x.dtype)


def clip(x, lo, hi):
    return jnp.minimum(jnp.maximum(x, lo), hi)


def leakyrelu(x, alpha):
    return jax.nn.leaky_relu(x, alpha)


def elu(x, alpha):
    return jax.nn.elu(x, alpha)


def hardsigmoid(x, alpha, beta):
    return jnp.clip(alpha * x + beta, 0, 1)


def hardswish(x):
    return jax.nn.hard_swish(x)


def softmax(x, axis):
    return jax.nn.softmax(x, axis)


def reducesum(x, axes, keep=0):
    return x.sum(axes, keepdims=bool(keep))


def reducemean(x, axes, keep=0):
    return x.mean(axes, keepdims=bool(keep))


def reducemax(x, axes, keep=0):
    return x.max(axes, keepdims=bool(keep))


def concat(x, y, axis):
    return jnp.concatenate([x, y], axis)


def slice_(x, axis, lo, hi):
    return lax.slice_in_dim(x, lo, hi, axis=axis)


def split(x, axis, at):
    return lax.slice_in_dim(x, 0, at, axis=axis), lax.slice_in_dim(x, at, x.shape[axis], axis=axis)


def transpose(x, perm=(1, 0)):
    return jnp.transpose(x, perm)


def reshape(x, shape):
    return x.reshape(shape)


def broadcast(x, shape):
    return jnp.broadcast_to(x, shape)


def reverse(x, axes):
    return jnp.flip(x, axes)


def pad(x, before, after, value=0.0):
    return jnp.pad(x, tuple(zip(before, after)), constant_values=value)


def enlarge(x, kh, kw):
    h, w = kh - x.shape[2], kw - x.shape[3]
    return jnp.pad(x, ((0, 0), (0, 0), (h // 2, h - h // 2), (w // 2, w - w // 2)))


def cast(x, to):
    return x.astype(to)


def fromfront(positions, n):
    return jnp.where(positions < 0, positions + n, positions)


def gather(x, positions, axis):
    return jnp.take(x, fromfront(positions, x.shape[axis]), axis=axis)


def scatteradd(x, positions, axis, n):
    zeros = jnp.zeros(x.shape[:axis] + (n,) + x.shape[axis + positions.ndim:], x.dtype)
    return zeros.at[(slice(None),) * axis + (fromfront(positions, n),)].add(x)


def pick(x, keys, positions, n):
    off = positions[..., None] - keys
    return jnp.tensordot(((off == 0) | (off == -n)).astype(x.dtype), x, 1)


def fill(shape, value=1.0, den=1, dtype=float):
    return jnp.full(shape, value / den, dtype)


def one(shape, dtype=float):
    return jnp.ones(shape, dtype)


def iota(n, dtype=float):
    return jnp.arange(n, dtype=dtype)


def imatmul(n, dtype=float):
    return jnp.eye(n, dtype=dtype)


def iconv(c, kh, kw, dtype=float):
    return jnp.zeros((c, c, kh, kw), dtype).at[jnp.arange(c), jnp.arange(c), kh // 2, kw // 2].set(1)


def cpool(c, kh, kw, dtype=float):
    return jnp.full((c, 1, kh, kw), 1 / (kh * kw), dtype)
