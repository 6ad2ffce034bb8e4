"""A model to edit, with the values that its names had on one set of inputs."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from cases import NUMBER, opset
from evaluate import Invalid, Model, by_reference


def has_graphs(node):
    return any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute)


class Graph:
    """A copy of a model that may be changed. Values are those of the model as it was."""

    def __init__(self, model, feeds, values=None):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.feeds = feeds
        self.version = opset(model)
        if values is None:
            values = Model(model).values(feeds)
        self.values = dict(values)
        for t in model.graph.initializer:
            if t.data_type in NUMBER.values():
                self.values[t.name] = numpy_helper.to_array(t)
        self.values.update(feeds)
        self.count = 0

    @property
    def g(self):
        return self.model.graph

    def fresh(self, hint="v"):
        taken = {o for n in self.g.node for o in n.output} | {i.name for i in self.g.input} | {i.name for i in self.g.initializer}
        while True:
            self.count += 1
            if (name := f"{hint}_{self.count}") not in taken:
                return name

    def const(self, array, hint="c"):
        name = self.fresh(hint)
        self.g.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def captured(self):
        """Names that subgraphs may read."""
        out = set()

        def walk(graph):
            for n in graph.node:
                out.update(n.input)
                for a in n.attribute:
                    if a.type == onnx.AttributeProto.GRAPH:
                        out.update(o.name for o in a.g.output)
                        walk(a.g)

        for n in self.g.node:
            for a in n.attribute:
                if a.type == onnx.AttributeProto.GRAPH:
                    out.update(o.name for o in a.g.output)
                    walk(a.g)
        return out

    def where(self, name):
        """The place after the node that makes a value; 0 for inputs and initializers."""
        for i, n in enumerate(self.g.node):
            if name in n.output:
                return i + 1
        return 0

    def reads(self, name):
        return [(n, i) for n in self.g.node for i, x in enumerate(n.input) if x == name]

    def is_output(self, name):
        return any(o.name == name for o in self.g.output)

    def edges(self, kinds="fiub"):
        """Values, with type and shape known, that something may be put behind."""
        caught = self.captured()
        names = [i.name for i in self.g.input] + [o for n in self.g.node for o in n.output if o]
        return [x for x in names if x in self.values and x not in caught and self.values[x].dtype.kind in kinds
                and self.values[x].size > 0 and (self.reads(x) or self.is_output(x))
                and not any(n.op_type in ("Loop", "Scan", "If") for n, _ in self.reads(x))]

    def behind(self, rng, name, make):
        """Puts nodes behind a value: make(source, target) returns them. Either all that read the
        value read the result, or one of them, or the output of the model."""
        reads = self.reads(name)
        target = self.fresh("w")
        at = self.where(name)
        made_here = any(name in n.output for n in self.g.node)
        if self.is_output(name) and made_here and (not reads or rng.random() < 0.5):
            source = self.fresh("s")
            for n in self.g.node:
                for i, o in enumerate(n.output):
                    if o == name:
                        n.output[i] = source
            for n, i in reads:
                n.input[i] = source
            nodes = make(source, name)
        else:
            if not reads:
                return False
            if len(reads) > 1 and rng.random() < 0.4:
                reads = [rng.choice(reads)]
            for n, i in reads:
                n.input[i] = target
            nodes = make(name, target)
        self.insert(at, nodes)
        return True

    def insert(self, at, nodes):
        old = list(self.g.node)
        new = old[:at] + list(nodes) + old[at:]
        kept = [onnx.NodeProto.FromString(n.SerializeToString()) for n in new]
        del self.g.node[:]
        self.g.node.extend(kept)

    def replace(self, node, nodes):
        """Puts nodes in the place of one, which must be in the graph."""
        at = next(i for i, n in enumerate(self.g.node) if n is node or n == node)
        old = [onnx.NodeProto.FromString(n.SerializeToString()) for n in self.g.node]
        kept = old[:at] + list(nodes) + old[at + 1:]
        del self.g.node[:]
        self.g.node.extend(kept)

    def constant(self, name):
        """The value of a constant, or None."""
        for t in self.g.initializer:
            if t.name == name and t.data_type in NUMBER.values():
                return numpy_helper.to_array(t)
        for n in self.g.node:
            if n.op_type == "Constant" and n.output[0] == name:
                for a in n.attribute:
                    if a.name == "value" and a.t.data_type in NUMBER.values():
                        return numpy_helper.to_array(a.t)
                    if a.name == "value_float":
                        return np.float32(a.f)
                    if a.name == "value_int":
                        return np.int64(a.i)
                    if a.name == "value_ints":
                        return np.array(a.ints, np.int64)
                    if a.name == "value_floats":
                        return np.array(a.floats, np.float32)
        return None

    def set_constant(self, name, array):
        array = np.asarray(array)
        for t in self.g.initializer:
            if t.name == name:
                t.CopyFrom(numpy_helper.from_array(array, name))
        for n in self.g.node:
            if n.op_type == "Constant" and n.output[0] == name:
                del n.attribute[:]
                n.attribute.append(helper.make_attribute("value", numpy_helper.from_array(array)))


def node(op, ins, outs, **attributes):
    return helper.make_node(op, ins if isinstance(ins, list) else [ins], outs if isinstance(outs, list) else [outs], **attributes)


def finish(model, feeds):
    """The model with outputs declared as they come out, in both judges. Invalid if it does not
    run on the feeds."""
    for o in model.graph.output:  # types first, as they may have changed
        o.type.Clear()
        o.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    del model.graph.value_info[:]
    from onnx.reference import ReferenceEvaluator

    try:
        outs = by_reference(ReferenceEvaluator(model), feeds)
    except Exception as e:
        raise Invalid(str(e)) from e
    declared = []
    for o, x in zip(model.graph.output, outs):
        x = np.asarray(x) if np.isscalar(x) or isinstance(x, np.generic) else x
        if not isinstance(x, np.ndarray) or x.dtype not in NUMBER:
            raise Invalid("an output is not a tensor of numbers")
        declared.append(helper.make_tensor_value_info(o.name, NUMBER[x.dtype], x.shape))
    del model.graph.output[:]
    model.graph.output.extend(declared)
    return Model(model)
