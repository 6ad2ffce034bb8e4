"""Write onnx/definitions.txt: the published definitions of ONNX's operators.

    python scripts/onnx/definitions.py > onnx/definitions.txt

It needs the packages numpy, onnx and onnxruntime; the first line of the output names
their versions. Operators of ONNX Runtime's domain are listed only if
onnx/definitions.txt lists them already, or if they are named as arguments.
"""

import re
import sys

import numpy
import onnx
import onnx.defs
import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as runtime

NEWEST = 26  # the newest operator set that is read
DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training")
CONTRIBUTED = "com.microsoft"
# ONNX Runtime adds these to ONNX's own domain.
ADDED = (("SimplifiedLayerNormalization", 1), ("LayerNormalization", 1))
KINDS = {
    "FLOAT": "float", "INT": "int", "STRING": "string", "TENSOR": "tensor", "GRAPH": "graph",
    "FLOATS": "floats", "INTS": "ints", "STRINGS": "strings", "TENSORS": "tensors", "GRAPHS": "graphs",
    "SPARSE_TENSOR": "sparse_tensor", "SPARSE_TENSORS": "sparse_tensors",
    "TYPE_PROTO": "type_proto", "TYPE_PROTOS": "type_protos",
}


def default(value):
    """The default of an attribute as text, or None."""
    if isinstance(value, bytes):  # of ONNX Runtime's definitions
        value = onnx.AttributeProto.FromString(value)
    kind = onnx.AttributeProto.AttributeType.Name(value.type)
    if kind == "UNDEFINED":
        return None
    x = onnx.helper.get_attribute_value(value)
    if kind == "FLOAT":
        return str(numpy.float32(x))
    if kind == "INT":
        return str(x)
    if kind == "STRING":
        return x.decode()
    if kind in ("FLOATS", "INTS"):
        return "[" + ",".join(str(v) for v in x) + "]"
    if kind == "STRINGS":
        return "[" + ",".join(v.decode() for v in x) + "]"
    if kind == "TENSOR":
        return "tensor"
    raise ValueError(kind)


def attribute(a):
    kind = KINDS[str(a.type).rsplit(".", 1)[-1]]
    value = default(a._default_value if hasattr(a, "_default_value") else a.default_value)
    text = f"{a.name}:{kind}"
    if a.required:
        return text + "!"
    return text if value is None else f"{text}={value}"


def parameters(list_, names):
    out = []
    for p in list_:
        option = str(p.option).rsplit(".", 1)[-1]
        mark = {"Single": "", "Optional": "?", "Variadic": "*"}[option]
        if option == "Variadic" and not getattr(p, "is_homogeneous", getattr(p, "isHomogeneous", True)):
            mark = "**"
        kind = p.type_str if hasattr(p, "type_str") else p.typeStr
        out.append((kind if kind in names else "{" + kind + "}") + mark)
    return ",".join(out) or "-"


def main():
    sets, lines = {}, []

    def of(allowed):
        key = " ".join(sorted(re.sub(r"tensor\((\w+)\)", r"\1", t).replace(" ", "") for t in allowed))
        if key not in sets:
            sets[key] = f"S{len(sets)}"
        return sets[key]

    wanted = set(sys.argv[1:])
    try:
        with open("onnx/definitions.txt") as f:
            wanted |= {w[1] for w in map(str.split, f) if w and w[0] == CONTRIBUTED}
    except FileNotFoundError:
        pass
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain in DOMAINS]
    schemas += [s for s in runtime.get_all_operator_schema() if s.domain == CONTRIBUTED and s.name in wanted
                or s.domain == "" and (s.name, s.since_version) in ADDED]
    for s in schemas:
        if s.domain == "" and s.since_version > NEWEST:
            continue
        types = {}
        for t in s.type_constraints:
            name = t.type_param_str
            types[name] = of(t.allowed_type_strs)
        attributes = [attribute(a) for _, a in sorted(s.attributes.items())]
        lines.append((s.domain, s.name, s.since_version, " ".join([
            s.domain or "ai.onnx", s.name, str(s.since_version),
            f"{s.min_input}:" + parameters(s.inputs, types), f"{s.min_output}:" + parameters(s.outputs, types),
            ",".join(f"{k}={v}" for k, v in sorted(types.items())) or "-", *attributes])))
    print(f"# Definitions of operators, from onnx {onnx.__version__} and onnxruntime {onnxruntime.__version__}.")
    print("# Written by scripts/onnx/definitions.py. Sets of types come first, then")
    print("# domain, operator, version, inputs and outputs with their least number")
    print("# (? optional, * variadic, ** of any types), types of parameters, attributes (! required).")
    for key, name in sets.items():
        print(f"set {name} {key}")
    for *_, line in sorted(lines):
        print(line)


main()
