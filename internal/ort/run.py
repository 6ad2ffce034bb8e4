# Runs models with ONNX Runtime, one after another. Standard input and output:
# the length of a JSON header in 8 bytes, the header, the tensors' numbers one
# after another.
import json
import struct
import sys
import time


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
    outs = s.run(None, feeds)
    seconds = []
    for _ in range(job["Repeat"]):
        start = time.perf_counter()
        s.run(None, feeds)
        seconds.append(time.perf_counter() - start)
    tensors, blobs = [], []
    for o, a in zip(s.get_outputs(), outs):
        a = np.ascontiguousarray(a)
        blobs.append(a.tobytes())
        tensors.append({"Name": o.name, "DType": str(a.dtype), "Sizes": list(np.shape(outs[len(tensors)])), "Bytes": a.nbytes})
    return {"Tensors": tensors, "Seconds": seconds}, blobs


def main():
    import numpy as np

    inp = sys.stdin.buffer
    (n,) = struct.unpack("<Q", inp.read(8))
    head = json.loads(inp.read(n))
    answers, blobs = [], []
    for job in head["Jobs"]:
        raws = [inp.read(t["Bytes"]) for t in job["Tensors"]]
        try:
            feeds = {}
            for t, raw in zip(job["Tensors"], raws):
                feeds[t["Name"]] = np.frombuffer(raw, dtype=t["DType"]).reshape(t["Sizes"] or [])
            answer, out = run(job, feeds)
        except Exception as e:  # told to the caller, whatever it is
            answer, out = {"Error": f"{type(e).__name__}: {e}"}, []
        answers.append(answer)
        blobs += out
    head = json.dumps({"Jobs": answers}).encode()
    sys.stdout.buffer.write(struct.pack("<Q", len(head)) + head + b"".join(blobs))


main()
