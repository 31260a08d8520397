"""The kinds of files that the project reads, each made small and read as its users do."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from llt.bench.record import load_record, new_record, write_record
from llt.data import dataset_file
from llt.data.arrays import read_arrays, write_arrays
from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graphs
from llt.training.config import TrainConfig
from llt.training.run import train
from tests.conftest import darcy_like, ragged
from tests.data.kinds import flow, timed
from tests.robustness.campaign import Kind
from tests.robustness.case_kinds import CASE_KINDS
from tests.robustness.command import llt
from tests.robustness.format_kinds import FORMAT_KINDS, digest


def _datasets(folder: Path) -> list[Path]:
    made = {"grid": darcy_like(6, 5), "ragged": ragged(5), "timed": timed(), "flow": flow()}
    for name, data in made.items():
        dataset_file.write(folder / f"{name}.h5", data)
    return sorted(folder.glob("*.h5"))


def _read_datasets(folder: Path) -> Any:
    return [_contents(dataset_file.read(path)) for path in sorted(folder.glob("*.h5"))]


def _contents(data: Dataset) -> Any:
    samples = [data.sample(index) for index in range(len(data))]
    parts = [
        digest(
            {
                "x": s.points,
                "a": s.inputs,
                "u": s.outputs,
                "p": s.parameters,
                **s.masks,
                **s.weights,
            }
        )
        for s in samples
    ]
    splits = {name: data.splits[name].tolist() for name in ("train", "val", "test")}
    return data.problem.to_dict(), parts, splits, data.times, data.hash


def _own_files(folder: Path) -> list[Path]:
    rng = np.random.default_rng(0)
    with h5py.File(folder / "own.h5", "w") as file:
        file["points"] = rng.random((6, 12, 2))
        file["inputs/load"] = rng.random((6, 12))
        file.create_dataset("outputs/stress", data=rng.random((6, 12)), compression="gzip")
        file["outputs/stress"].attrs["unit"] = "Pa"
        file["parameters/speed"] = rng.random(6)
    return [folder / "own.h5"]


def _arrays(folder: Path) -> list[Path]:
    """HDF5 in all its shapes: old and new, names and chunks in trees, texts, nested groups."""
    rng = np.random.default_rng(0)
    for libver in ("earliest", "latest"):
        with h5py.File(folder / f"{libver}.h5", "w", libver=libver) as file:
            for number in range(40):
                file[f"many/{number}"] = rng.random(3)
                file["many"].attrs[f"about {number}"] = "some words"
            file["a/b/c/d/e/deep"] = rng.random(4)
            kinds = {"plain": {}, "lzf": {"compression": "lzf"}, "gzip": {"compression": "gzip"}}
            for name, how in kinds.items():
                file.create_dataset(name, data=rng.random((30, 8)), chunks=(1, 8), **how)
            grown = file.create_dataset("grown", (0, 8), "f4", maxshape=(None, None), chunks=(2, 2))
            grown.resize((20, 8))
            grown[:] = rng.random((20, 8))
            file["text"] = "some words"
            file["soft"] = h5py.SoftLink("/a/b")
            file["a/b/again"] = file["a"]
    return sorted(folder.glob("*.h5"))


def _read_all_arrays(folder: Path) -> Any:
    return [digest(read_arrays(path)) for path in sorted(folder.glob("*.h5"))]


def _training_run(folder: Path) -> Path:
    dataset_file.write(folder / "data.h5", darcy_like(8, 5))
    llt("train", folder / "data.h5", "--out", folder / "run", "--preset", "tiny", "--device", "cpu")
    return folder / "run"


def _stopped_run(folder: Path) -> list[Path]:
    """Interrupted in its second epoch."""
    dataset_file.write(folder / "data.h5", darcy_like(8, 5))

    def stop(tick: Any) -> None:
        if tick.epoch == 2:
            raise KeyboardInterrupt

    config = TrainConfig(epochs=3, batch_size=2, checkpoint_seconds=0.0)
    sizes = {"dim": 16, "num_layers": 2, "heads": 4}
    with suppress(KeyboardInterrupt):
        train(
            folder / "data.h5",
            folder / "run",
            model_settings=sizes,
            config=config,
            device="cpu",
            listener=stop,
        )
    assert (folder / "run/state.safetensors").is_file()
    return _files(folder / "run")


def _files(run: Path) -> list[Path]:
    return sorted(path for path in run.rglob("*") if path.is_file())


def _finished_run(folder: Path) -> list[Path]:
    run = _training_run(folder)
    write_arrays(
        folder / "question.npz",
        {"permeability": darcy_like(8, 5).inputs[:2, :, 0].reshape(2, 5, 5)},
    )
    llt("evaluate", run)
    return _files(run)


def _predict(folder: Path) -> Any:
    answer = folder / "answer.npz"
    llt("predict", folder / "run", folder / "question.npz", "-o", answer)
    with np.load(answer) as found:
        return digest(dict(found))


def _use_run(folder: Path) -> Any:
    """Predict, evaluate and report."""
    found = _predict(folder)
    numbers = json.loads(llt("evaluate", folder / "run", "--json"))
    llt("report", folder / "run")
    llt("train", "--resume", folder / "run")  # complete: stays as it is
    return found, numbers["relative_l2"], numbers["data_hash"]


def _resume(folder: Path) -> Any:
    llt("train", "--resume", folder / "run", "--device", "cpu")
    return [
        hashlib.sha256((folder / "run" / name / "model.safetensors").read_bytes()).hexdigest()
        for name in ("best", "last")
    ]


def _question(suffix: str) -> Any:
    def make(folder: Path) -> list[Path]:
        _finished_run(folder)
        question = folder / f"question{suffix}"
        data = darcy_like(8, 5)
        arrays = {
            "points": data.points.reshape(5, 5, 2),
            "permeability": data.inputs[:2, :, 0].reshape(2, 5, 5),
        }
        write_arrays(question, arrays)
        return [question]

    def read(folder: Path) -> Any:
        llt("predict", folder / "run", folder / f"question{suffix}", "-o", folder / "answer.npz")
        with np.load(folder / "answer.npz") as found:
            return digest(dict(found))

    return Kind(f"question{suffix.replace('.', '-')}", make, read, checked=suffix == ".npz")


def _settings(folder: Path) -> list[Path]:
    run = _training_run(folder)
    (folder / "settings.toml").write_text((run / "config.toml").read_text())
    return [folder / "settings.toml"]


def _read_settings(folder: Path) -> Any:
    words = ("--config", folder / "settings.toml", "--show", "--json", "--device", "cpu")
    return json.loads(llt("train", folder / "data.h5", *words))["settings"]


def _published(folder: Path, *, version: str) -> list[Path]:
    from scipy.io import savemat

    from llt.data.published.darcy import FILES

    rng = np.random.default_rng(0)
    for name in FILES:
        fields = {"coeff": rng.random((6, 9, 9)), "sol": rng.random((6, 9, 9))}
        if version == "5":
            savemat(folder / name, fields, do_compression=name == FILES[0])
        else:
            with h5py.File(folder / name, "w") as file:
                for key, value in fields.items():
                    file[key] = value.transpose()
    return [folder / name for name in FILES]


def _read_published(folder: Path) -> Any:
    from llt.data.published import read_published

    return _contents(read_published("darcy", folder, resolution=5))


def _slabbed(folder: Path) -> list[Path]:
    """An array of both versions of MATLAB files, to be read part by part."""
    from scipy.io import savemat

    array = np.random.default_rng(0).random((6, 5, 4, 3, 2))
    savemat(folder / "5.mat", {"input": array[..., 0, 0], "output": array}, do_compression=True)
    with h5py.File(folder / "7.mat", "w") as file:
        file.create_dataset("output", data=array.transpose(), compression="gzip")
    return [folder / "5.mat", folder / "7.mat"]


def _read_slabs(folder: Path) -> Any:
    from llt.data.mat_file import mat_kind, mat_slabs

    paths = folder / "5.mat", folder / "7.mat"
    return [
        (str(mat_kind(path, "output")), digest(dict(enumerate(mat_slabs(path, "output", 3)))))
        for path in paths
    ]


def _read_arrays(folder: Path) -> Any:
    from llt.data.published.source_files import load_array

    xy, sigma = (
        load_array(folder / name, shape)
        for name, shape in (("points.npy", (9, 2, None)), ("values.npy", (9, None)))
    )
    return digest({"xy": np.asarray(xy, np.float32), "sigma": np.asarray(sigma, np.float32)})


def _small_arrays(folder: Path) -> list[Path]:
    rng = np.random.default_rng(0)
    np.save(folder / "points.npy", rng.random((9, 2, 14)))
    np.save(folder / "values.npy", rng.random((9, 14)))
    return [folder / "points.npy", folder / "values.npy"]


def _parts(folder: Path) -> list[Path]:
    from llt.solvers.generate import Job, generate, make_settings

    job = Job.of("darcy", 0, make_settings("darcy", SMALL))
    list(generate(job, 4, folder / "data.h5.parts"))
    return sorted(path for path in (folder / "data.h5.parts").iterdir() if path.suffix)


def _array_parts(folder: Path) -> list[Path]:
    from llt.job_array import Part, generate_part

    given: dict[str, Any] = {"counts": (2, 1, 1), "workers": 1, "settings": SMALL}
    for number in (1, 2):
        generate_part("darcy", folder / "data.h5", Part(number, 2), **given)
    return sorted(folder.glob("data.h5.part-*/*.npz")) + sorted(folder.glob("*/job.json"))


def _join(folder: Path) -> Any:
    parts = [folder / f"data.h5.part-{number}-of-2" for number in (1, 2)]
    llt("join", *parts, "-o", folder / "data.h5")
    return _contents(dataset_file.read(folder / "data.h5"))


def _generate(folder: Path) -> Any:
    words = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    llt(
        "generate",
        "darcy",
        "-o",
        folder / "data.h5",
        "--num",
        "2,1,1",
        "--resume",
        "--workers",
        1,
        *words,
    )
    return _contents(dataset_file.read(folder / "data.h5"))


SMALL = {"resolution": 17, "stored_resolution": 9}


def _graphs(folder: Path) -> list[Path]:
    dataset_file.write(folder / "points.h5", ragged(5))
    _read_graphs(folder)
    return _files(folder / "cache")


def _read_graphs(folder: Path) -> Any:
    os.environ["LLT_CACHE"] = str(folder / "cache")
    data = dataset_file.read(folder / "points.h5")
    return digest({"graphs": radius_graphs(data, np.arange(5), 0.3, 8)})


def _records(folder: Path) -> list[Path]:
    import torch

    record = new_record("cost", "A record", torch.device("cpu"), {"rows": [{"ms": 1.5}]}, {})
    write_record(folder / "record.json", record)
    return [folder / "record.json"]


def _read_record(folder: Path) -> Any:
    return load_record(folder / "record.json").to_dict()


KINDS = (
    {
        kind.name: kind
        for kind in (
            Kind("dataset", _datasets, _read_datasets),
            Kind("own-file", _own_files, _read_datasets, checked=False),
            Kind("arrays", _arrays, _read_all_arrays, checked=False),
            Kind("run", _finished_run, _use_run),
            Kind("stopped-run", _stopped_run, _resume),
            _question(".npz"),
            _question(".h5"),
            Kind("settings", _settings, _read_settings, checked=False, named=False),
            Kind("matlab-5", lambda f: _published(f, version="5"), _read_published, checked=False),
            Kind("matlab-7", lambda f: _published(f, version="7"), _read_published, checked=False),
            Kind("matlab-slabs", _slabbed, _read_slabs, checked=False),
            Kind("numpy", _small_arrays, _read_arrays, checked=False),
            Kind("parts", _parts, _generate),
            Kind("array-parts", _array_parts, _join),
            Kind("graphs", _graphs, _read_graphs),
            Kind("record", _records, _read_record, checked=False),
        )
    }
    | CASE_KINDS
    | FORMAT_KINDS
)
