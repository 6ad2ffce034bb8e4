# Runs and times models with ONNX Runtime for package ort. A message on standard
# input or output is the length of a JSON header in 8 bytes, the header, and the
# numbers of the tensors that the header lists. The first message is ours; then each
# request has one answer. The end of the input ends the process at once.
import ctypes
import gc
import json
import os
import queue
import signal
import struct
import sys
import threading
import time

# Types that numpy does not have: their number in ONNX, and the numpy type that holds their bits.
NARROW = {
    "bfloat16": (16, "uint16"),
    "float8e4m3fn": (17, "uint8"),
    "float8e4m3fnuz": (18, "uint8"),
    "float8e5m2": (19, "uint8"),
    "float8e5m2fnuz": (20, "uint8"),
}
NAMES = {n: name for name, (n, _) in NARROW.items()}


def tensor(t, raw):
    number, bits = NARROW.get(t["DType"], (0, t["DType"]))
    a = np.frombuffer(raw, dtype=bits).reshape(t["Sizes"] or [])
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(a, number) if number else a


def values(feeds):
    return {k: v if isinstance(v, ort.OrtValue) else ort.OrtValue.ortvalue_from_numpy(v) for k, v in feeds.items()}


class Model:
    """A session with what is fed to it."""

    def __init__(self, req, raws):
        so = ort.SessionOptions()
        so.log_severity_level = 3
        so.intra_op_num_threads = req["Threads"]
        so.inter_op_num_threads = 1
        level = ort.GraphOptimizationLevel
        so.graph_optimization_level = {
            "disable": level.ORT_DISABLE_ALL,
            "basic": level.ORT_ENABLE_BASIC,
            "extended": level.ORT_ENABLE_EXTENDED,
            "all": level.ORT_ENABLE_ALL,
        }[req["Level"]]
        self.session = ort.InferenceSession(req["Model"], so, providers=["CPUExecutionProvider"])
        have = {i.name for i in self.session.get_inputs()}
        self.feeds = {t["Name"]: tensor(t, raw) for t, raw in zip(req["Tensors"], raws) if t["Name"] in have}
        self.timed = None

    def run(self):
        """The outputs as tensors of the protocol."""
        s, feeds = self.session, self.feeds
        once = s.run
        if any(o.type in {f"tensor({name})" for name in NARROW} for o in s.get_outputs()):
            once, feeds = s.run_with_ort_values, values(feeds)
        outs = once(None, feeds)
        tensors, blobs = [], []
        for o, a in zip(s.get_outputs(), outs):
            if isinstance(a, ort.OrtValue):
                if a.element_type() in NAMES:
                    blobs.append(ctypes.string_at(a.data_ptr(), a.tensor_size_in_bytes()))
                    tensors.append({"Name": o.name, "DType": NAMES[a.element_type()], "Sizes": list(a.shape()), "Bytes": len(blobs[-1])})
                    continue
                a = a.numpy()
            sizes = list(np.shape(a))
            a = np.ascontiguousarray(a)
            blobs.append(a.tobytes())
            tensors.append({"Name": o.name, "DType": str(a.dtype), "Sizes": sizes, "Bytes": a.nbytes})
        return tensors, blobs

    def once(self):
        """A function that runs the model without copies of inputs and outputs."""
        if self.timed is None:
            try:
                fed = values(self.feeds)
                self.timed = lambda: self.session.run_with_ort_values(None, fed)
                self.timed()
            except Exception:  # inputs or outputs that are no tensors of numbers
                self.timed = lambda: self.session.run(None, self.feeds)
                self.timed()
        return self.timed


def seconds(req):
    """The time of each sample: the mean of several runs of a model, behind runs that do not count."""
    clock = time.thread_time if req["CPU"] else time.perf_counter
    once = [models[i].once() for i in req["Order"]]
    out = []
    for f, runs, warm in zip(once, req["Runs"], req["Warm"]):
        for _ in range(warm):
            f()
        start = clock()
        for _ in range(runs):
            f()
        out.append((clock() - start) / runs)
    return out


def serve(req, raws):
    if req["Op"] == "open":
        models[req["ID"]] = Model(req, raws)
    elif req["Op"] == "run":
        tensors, blobs = models[req["ID"]].run()
        return {"Tensors": tensors}, blobs
    elif req["Op"] == "once":
        tensors, blobs = Model(req, raws).run()
        return {"Tensors": tensors}, blobs
    elif req["Op"] == "time":
        return {"Seconds": seconds(req)}, []
    elif req["Op"] == "close":
        models.pop(req["ID"], None)
        gc.collect()
    return {}, []


def listen():
    """Puts requests into a queue, so that the end of the input is seen during a run."""
    inp = sys.stdin.buffer
    while True:
        size = inp.read(8)
        if len(size) < 8:
            os._exit(0)
        req = json.loads(inp.read(struct.unpack("<Q", size)[0]))
        requests.put((req, [inp.read(t["Bytes"]) for t in req["Tensors"] or []]))


def answer(head, blobs=()):
    head = json.dumps(head).encode()
    out.write(struct.pack("<Q", len(head)) + head)
    for b in blobs:
        out.write(b)
    out.flush()


signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the program, which ends this one
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # whatever else prints does not get between the messages
import numpy as np  # noqa: E402
import onnxruntime as ort  # noqa: E402

models, requests = {}, queue.SimpleQueue()
gc.disable()
gc.freeze()  # a collection looks at sessions, not at what was imported
threading.Thread(target=listen, daemon=True).start()
answer({
    "Version": ort.__version__,
    "Providers": ort.get_available_providers(),
    "CPU": time.get_clock_info("thread_time").resolution <= 1e-6,
})
while True:
    req, raws = requests.get()
    try:
        head, blobs = serve(req, raws)
    except Exception as e:  # the caller reports it
        head, blobs = {"Error": f"{type(e).__name__}: {e}"}, []
    answer(head, blobs)
