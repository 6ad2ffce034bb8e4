# Runs models with ONNX Runtime, one after another. Standard input and output:
# the length of a JSON header in 8 bytes, the header, the tensors' numbers one
# after another.
import ctypes
import json
import struct
import sys
import time

# Types that numpy does not have: their number in ONNX, and as what their bits are handed over.
NARROW = {
    "bfloat16": (16, "uint16"),
    "float8e4m3fn": (17, "uint8"),
    "float8e4m3fnuz": (18, "uint8"),
    "float8e5m2": (19, "uint8"),
    "float8e5m2fnuz": (20, "uint8"),
}
NAMES = {n: name for name, (n, _) in NARROW.items()}


def tensor(t, raw):
    import numpy as np
    import onnxruntime as ort

    number, bits = NARROW.get(t["DType"], (0, t["DType"]))
    a = np.frombuffer(raw, dtype=bits).reshape(t["Sizes"] or [])
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(a, number) if number else a


def run(job, feeds):
    import numpy as np
    import onnxruntime as ort

    so = ort.SessionOptions()
    so.log_severity_level = 3
    so.intra_op_num_threads = job["Threads"]
    so.inter_op_num_threads = 1
    level = ort.GraphOptimizationLevel
    so.graph_optimization_level = level.ORT_ENABLE_ALL if job["Optimize"] else level.ORT_DISABLE_ALL
    s = ort.InferenceSession(job["Model"], so, providers=["CPUExecutionProvider"])
    have = {i.name for i in s.get_inputs()}
    feeds = {k: v for k, v in feeds.items() if k in have}
    once = s.run
    if any(o.type in {f"tensor({name})" for name in NARROW} for o in s.get_outputs()):
        once = s.run_with_ort_values
        feeds = {k: v if isinstance(v, ort.OrtValue) else ort.OrtValue.ortvalue_from_numpy(v) for k, v in feeds.items()}
    outs = once(None, feeds)
    seconds = []
    for _ in range(job["Repeat"]):
        start = time.perf_counter()
        once(None, feeds)
        seconds.append(time.perf_counter() - start)
    tensors, blobs = [], []
    for o, a in zip(s.get_outputs(), outs):
        if isinstance(a, ort.OrtValue):
            if a.element_type() in NAMES:
                blobs.append(ctypes.string_at(a.data_ptr(), a.tensor_size_in_bytes()))
                tensors.append({"Name": o.name, "DType": NAMES[a.element_type()], "Sizes": list(a.shape()), "Bytes": len(blobs[-1])})
                continue
            a = outs[len(tensors)] = a.numpy()
        a = np.ascontiguousarray(a)
        blobs.append(a.tobytes())
        tensors.append({"Name": o.name, "DType": str(a.dtype), "Sizes": list(np.shape(outs[len(tensors)])), "Bytes": a.nbytes})
    return {"Tensors": tensors, "Seconds": seconds}, blobs


def main():
    inp = sys.stdin.buffer
    (n,) = struct.unpack("<Q", inp.read(8))
    head = json.loads(inp.read(n))
    answers, blobs = [], []
    for job in head["Jobs"]:
        raws = [inp.read(t["Bytes"]) for t in job["Tensors"]]
        try:
            answer, out = run(job, {t["Name"]: tensor(t, raw) for t, raw in zip(job["Tensors"], raws)})
        except Exception as e:  # told to the caller, whatever it is
            answer, out = {"Error": f"{type(e).__name__}: {e}"}, []
        answers.append(answer)
        blobs += out
    head = json.dumps({"Jobs": answers}).encode()
    sys.stdout.buffer.write(struct.pack("<Q", len(head)) + head + b"".join(blobs))


main()
