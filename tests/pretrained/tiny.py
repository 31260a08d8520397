"""A run of a small model that has been evaluated, for what is packed and loaded by name."""

import shutil

from llt.cli import main
from llt.data import dataset_file
from llt.training import TrainConfig, train

MODEL = {"dim": 16, "num_layers": 1, "heads": 2}


def evaluated_run(folder, data):
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=2, batch_size=4, seed=3, mean_field=data.problem.grid is not None)
    run = train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)
    # there is nothing to learn in noise, and the mean would be kept
    shutil.rmtree(run / "best")
    shutil.copytree(run / "last", run / "best")
    assert main(["evaluate", str(run), "--device", "cpu"]) == 0
    return run
