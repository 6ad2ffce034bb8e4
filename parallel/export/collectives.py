# What layout operators are on one device. A name that begins with send is that of a
# collective in the plan: XLA keeps it in what it compiles.


def all_reduce(name, x, axis):
    with jax.named_scope(name):
        return lax.psum(x, axis)


def reduce_scatter(name, x, axis, along):
    with jax.named_scope(name):
        return lax.psum_scatter(x, axis, scatter_dimension=along, tiled=True)


def all_gather(name, x, axis, along):
    with jax.named_scope(name):
        return lax.all_gather(x, axis, axis=along, tiled=True)


def all_to_all(name, x, axis, split, concat):
    with jax.named_scope(name):
        return lax.all_to_all(x, axis, split_axis=split, concat_axis=concat, tiled=True)


def halo(name, x, axis, along, before, after):
    """A part with the nearest places of the parts beside it, zeros at both ends."""
    n, last = x.shape[along], MESH[axis] - 1
    parts = [x]
    with jax.named_scope(name):
        if before:
            border = lax.slice_in_dim(x, n - before, n, axis=along)
            parts.insert(0, lax.ppermute(border, axis, [(i, i + 1) for i in range(last)]))
        if after:
            border = lax.slice_in_dim(x, 0, after, axis=along)
            parts.append(lax.ppermute(border, axis, [(i + 1, i) for i in range(last)]))
    return jnp.concatenate(parts, along)


def part(x, axis, along):
    """The device's part of what all devices along an axis of the mesh have."""
    n = x.shape[along] // MESH[axis]
    return lax.dynamic_slice_in_dim(x, lax.axis_index(axis) * n, n, axis=along)


def first(x, axis):
    """x on the first device along an axis of the mesh, zeros on the others."""
    return jnp.where(lax.axis_index(axis) == 0, x, jnp.zeros_like(x))


def micro_part(x, now, along):
    """The part of x for a micro-batch."""
    n = x.shape[along] // MICRO
    return lax.dynamic_slice_in_dim(x, now * n, n, axis=along)


def micro_whole(x, along):
    """What micro-batches made, side by side along an axis."""
    x = jnp.moveaxis(x, 0, along)
    return x.reshape(x.shape[:along] + (-1,) + x.shape[along + 2:])
