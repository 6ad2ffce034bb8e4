# How tensors lie over a mesh of devices, for PyTorch's DTensor, as taso's planner "by hand" laid
# them out: a placement for each axis of the mesh. Sizes are those of the whole tensors.
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor

MESH = (2,)
AXES = ("a",)

# Inputs, weights and state before a step, and behind it.
INPUTS = {
    "x": (Shard(0),),  # [8, 4]
    "w": (Replicate(),),  # [4, 4]
    "label": (Shard(0),),  # [8, 4]
}

# Results of the operators of the step.
ACTIVATIONS = {
    "y": (Shard(0),),  # [8, 4]
    "t5": (Shard(0),),  # [8, 4]
    "t6": (Shard(0),),  # [8, 4]
    "t7": (Partial(),),  # []
    "t8": (Replicate(),),  # []
    "loss": (Partial(),),  # []
    "t10": (Replicate(),),  # []
    "t11": (Replicate(),),  # []
    "t13": (Replicate(),),  # [1, 1]
    "t14": (Replicate(),),  # [8, 4]
    "t15": (Shard(0),),  # [8, 4]
    "t16": (Shard(0),),  # [8, 4]
    "t20": (Shard(1),),  # [4, 8]
    "t21": (Partial(),),  # [4, 4]
    "t22": (Replicate(),),  # []
    "t23": (Partial(),),  # [4, 4]
    "w_next": (Replicate(),),  # [4, 4]
}

# Matrices of weights of which parallelize_module knows the style, by axis of the mesh:
# ColwiseParallel or RowwiseParallel of the linear layer that has the matrix transposed.
STYLES = {
}

# What placements cannot say.
NOT_SAID = [
]


def distribute(tensors, device="cuda"):
    """Inputs by name as DTensors."""
    mesh = init_device_mesh(device, MESH, mesh_dim_names=AXES)
    return {name: distribute_tensor(x, mesh, INPUTS[name]) for name, x in tensors.items()}
