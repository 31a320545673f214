"""agree.py EXCHANGE: what NumPy writes, tt reads; what tt then writes, NumPy reads as the same arrays.

Exit 77 (skipped) where numpy is not installed."""
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

exchange = sys.argv[1]
TYPES = "?,u1,u2,u4,u8,i1,i2,i4,i8,f2,f4,f8,c8,c16".split(",")
rng = np.random.default_rng(1)


def array(dtype, shape):
    t = np.dtype(dtype)
    bits = rng.integers(0, 256, (*shape, t.itemsize), dtype=np.uint8)
    if t.kind == "b":
        return (bits[..., 0] & 1).astype(bool)
    return np.ascontiguousarray(bits).view(t)[..., 0]   # every bit pattern, NaN with payloads too


def same(got, want, name):
    want = want.astype(want.dtype.newbyteorder("="))
    assert got.dtype == want.dtype and got.shape == want.shape, f"{name}: {got.dtype}{got.shape}"
    assert got.tobytes() == want.tobytes(), f"{name}: other elements"


with tempfile.TemporaryDirectory() as folder:
    into, out = Path(folder) / "in", Path(folder) / "out"
    into.mkdir()
    out.mkdir()
    arrays = {}
    for t in TYPES:
        for shape in [(), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 4), (1,) * 16]:
            arrays[f"{np.dtype(t).name}_{'x'.join(map(str, shape)) or 'scalar'}"] = array(t, shape)
        arrays[f"{np.dtype(t).name}_fortran"] = np.asfortranarray(array(t, (3, 4, 2)))
        arrays[f"{np.dtype(t).name}_big_endian"] = array(t, (3, 5)).astype(np.dtype(t).newbyteorder(">"))
        arrays[f"{np.dtype(t).name}_both"] = np.asfortranarray(arrays[f"{np.dtype(t).name}_big_endian"])
    for name, a in arrays.items():
        np.save(into / f"{name}.npy", a)
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(into / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, arrays["float64_3x4"], version)
        arrays[f"version{version[0]}"] = arrays["float64_3x4"]
    archive = dict(arrays, **{"na\u00efve/name": arrays["int64_7"]})
    np.savez(into / "stored.npz", **archive)
    np.savez_compressed(into / "compressed.npz", **archive)
    np.savez(into / "empty.npz")

    refused = subprocess.run([exchange, into, out], check=True, capture_output=True, text=True).stdout
    assert not refused, refused
    for name, want in arrays.items():
        same(np.load(out / f"{name}.npy"), want, name)
    for file in ["stored", "compressed", "deflated_stored", "deflated_compressed", "zip64_stored"]:
        with np.load(out / f"{file}.npz") as got:
            assert sorted(got.files) == sorted(archive), f"{file}: {got.files}"
            for name, want in archive.items():
                same(got[name], want, f"{file}: {name}")
    assert (out / "deflated_stored.npz").stat().st_size < (out / "stored.npz").stat().st_size
    assert np.load(out / "empty.npz").files == []
    print(f"{len(arrays)} arrays agree")
