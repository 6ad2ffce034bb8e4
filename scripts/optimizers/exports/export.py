"""Exports models with PyTorch: export.py FOLDER MODEL:WAY... writes MODEL-WAY.onnx and its inputs, MODEL-WAY.INPUT.npy."""
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
here = os.path.dirname(os.path.abspath(__file__))
shared = os.path.join(os.path.dirname(os.path.dirname(here)), "pytorch")
sys.path.insert(1, shared)
import zoo, language, vision, other, precision  # noqa: F401, E401: each registers its models
old = set(zoo.MODELS)
import unseen  # noqa: F401, E402

failed = False
for name, way in (a.rsplit(":", 1) for a in sys.argv[2:]):
    try:
        zoo.exported(zoo.MODELS[name], sys.argv[1], way, False, shared if name in old else here)
    except RuntimeError as e:
        print(f"{name}: {e}", file=sys.stderr)
        failed = True
sys.exit(failed)
