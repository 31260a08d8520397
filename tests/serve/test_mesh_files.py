"""Files of simulation programs as questions and answers."""

import json
from dataclasses import replace
from threading import Semaphore

import numpy as np
import pytest

from tests.own_mesh.made import surrogate_of, write_table
from tests.serve.made import ask, refused, serving


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    pyvista = pytest.importorskip("pyvista")
    cases = tmp_path_factory.mktemp("vtk") / "cases"
    cases.mkdir()
    for i in range(4):
        mesh = pyvista.ImageData(dimensions=(4 + i, 5, 1)).cast_to_unstructured_grid()
        mesh.point_data["p"] = mesh.points[:, 0] + i
        mesh.save(cases / f"c{i}.vtu")
    write_table(cases / "params.csv", ["speed"], [(f"c{i}", i) for i in range(4)])
    surrogate = surrogate_of(cases, outputs=("p",), table=str(cases / "params.csv"))
    return cases, surrogate


def test_a_mesh_comes_back_with_predictions_on_it(prepared, tmp_path):
    import pyvista

    cases, surrogate = prepared
    own = (cases / "c1.vtu").read_bytes()
    with serving({"vtk": surrogate}) as running:
        query = "/predict?param=speed=1.5&integrate=mean:p"
        found = ask(running.port, query, own, Content_Type="application/x-vtu")
        said = json.loads(ask(running.port, query, own, Accept="application/json").body)
        service = running.service
        patient, service.files = service.settings, Semaphore(1)
        assert ask(running.port, query, own).status == ask(running.port, query, own).status == 200
        service.settings = replace(patient, seconds=0.01)
        with service.files:
            busy = ask(running.port, query, own)
        assert "too many files" in refused(busy, 503) and busy.headers["Retry-After"] == "1"
        service.settings = patient
        assert "no value of speed" in refused(ask(running.port, body=own), 422)
        line = refused(ask(running.port, query, own[: len(own) // 2]), 422)
        assert line.startswith("case.vtu: ")
        broken = refused(ask(running.port, "/predict?param=sped=1", own), 400)
        assert "did you mean speed" in broken
        refused(ask(running.port, query, b"#", Content_Type="application/x-case"), 415)
    assert found.status == 200 and found.headers["Content-Type"] == "application/x-vtu"
    (tmp_path / "out.vtu").write_bytes(found.body)
    back, mesh = pyvista.read(tmp_path / "out.vtu"), pyvista.read(cases / "c1.vtu")
    expected = surrogate.predict(mesh.points[:, :2], None, parameters={"speed": 1.5})
    np.testing.assert_allclose(back["p_pred"], expected["p"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(said["fields"]["p_pred"], back["p_pred"], rtol=1e-6)
    report = json.loads(found.headers["LLT-Report"])
    assert report["integrals"]["mean:p"].keys() == {"predicted", "known"}
    assert report["errors"]["p"] > 0 and said["report"] == report
