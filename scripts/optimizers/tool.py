"""One optimizer on one file: tool.py NAME IN OUT, with the defaults of its Python interface. main.py runs it in a process of its own."""
import sys

import onnx


def onnxsim(model):
    import onnxsim as tool
    return tool.simplify(model)[0]


def onnxslim(model):
    import onnxslim as tool
    return tool.slim(model)


def onnxoptimizer(model):
    import onnxoptimizer as tool
    return tool.optimize(model)


def onnxscript(model):
    import onnxscript.optimizer as tool
    return tool.optimize(model)


if __name__ == "__main__":
    name, source, target = sys.argv[1:]
    onnx.save({f.__name__: f for f in (onnxsim, onnxslim, onnxoptimizer, onnxscript)}[name](onnx.load(source)), target)
