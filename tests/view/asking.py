"""Questions to the viewer's application as a browser sends them, and its answers."""

import asyncio
import json

import httpx
import numpy as np

from llt.data import dataset_file
from llt.training import TrainConfig, train
from llt.view.application import make_app

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def make_run(folder, data, **settings):
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=1, batch_size=2, **settings)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


def ask(scene, path, method="GET", **how):
    return asyncio.run(_ask(scene, path, method, how))


async def _ask(scene, path, method, how):
    transport = httpx.ASGITransport(make_app(scene), raise_app_exceptions=False)
    base = how.pop("base", "http://127.0.0.1:8000")
    async with httpx.AsyncClient(transport=transport, base_url=base) as client:
        return await client.request(method, path, **how)


def get(scene, path):
    """JSON, or meta and arrays of a container."""
    return unpacked(ask(scene, path))


def post(scene, path, value):
    return unpacked(ask(scene, path, "POST", json=value))


def unpacked(response):
    assert response.status_code == 200, response.text
    if response.headers["content-type"] == "application/json":
        return response.json()
    return unpack(response.content)


def unpack(content):
    assert content[:4] == b"LLTV"
    length = int.from_bytes(content[4:8], "little")
    begin = 8 + length
    assert begin % 8 == 0
    head = json.loads(content[8:begin])
    arrays = {}
    for entry in head["arrays"]:
        assert entry["offset"] % 8 == 0
        kind, count = np.dtype(entry["dtype"]).newbyteorder("<"), int(np.prod(entry["shape"]))
        flat = np.frombuffer(content, kind, count, begin + entry["offset"])
        arrays[entry["name"]] = flat.reshape(entry["shape"])
    return head["meta"], arrays


def wait_for(question, done):
    """Ask again until an answer is as wanted."""
    for _ in range(600):
        answer = question()
        if done(answer):
            return answer
        asyncio.run(asyncio.sleep(0.1))
    raise AssertionError(f"never came: {answer}")
