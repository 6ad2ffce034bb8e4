# Writes models of torchvision as ONNX files: DIR NAME... The weights are random, and so is
# what training would have learned beside them: biases, and the statistics of batch norms,
# which would be zeros and ones, so that a network could be simplified as no trained one can.
import os
import sys

import torch
import torchvision


def export(name, path):
    torch.manual_seed(1)
    model = getattr(torchvision.models, name)(weights=None).eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() <= 1 or max(p.shape) == p.numel():  # scales and shifts
                p.add_(0.1 * torch.randn(p.shape))
            elif not p.any():  # such as a head, before training
                p.copy_(0.02 * torch.randn(p.shape))
        for key, b in model.named_buffers():
            if key.endswith("running_mean"):
                b.add_(0.1 * torch.randn(b.shape))
            if key.endswith("running_var"):
                b.mul_(0.5 + torch.rand(b.shape))
    part = path + ".part"
    torch.onnx.export(model, torch.randn(1, 3, 224, 224), part, opset_version=14, input_names=["x"], output_names=["y"])
    os.replace(part, path)


def main():
    if sys.argv[1:] == ["--version"]:
        print("torch " + torch.__version__ + ", torchvision " + torchvision.__version__)
        return
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:]:
        export(name, os.path.join(sys.argv[1], name + ".onnx"))


main()
