"""Who may ask: the page itself, from this machine, in small requests."""

import pytest

from llt.serve.access import is_own
from llt.view.opening import open_scene
from tests.view.asking import ask

PREDICT = "/api/live/predict"


@pytest.fixture
def scene(darcy_file):
    return open_scene(darcy_file)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "[::1]:80", "LOCALHOST"])
def test_the_loopback_is_answered(scene, host):
    assert ask(scene, "/api/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "192.168.0.7",
        "[::1",
        "",
    ],
)
def test_a_site_that_gives_this_address_its_own_name_is_refused(scene, host):
    response = ask(scene, "/api/about", headers={"Host": host})
    assert response.status_code == 403
    assert response.json().keys() == {"error"}


@pytest.mark.parametrize(
    ("host", "listens", "answered"),
    [
        ("box.lan:80", "box.lan", True),
        ("other.lan", "box.lan", False),
        ("192.168.0.7:80", "0.0.0.0", True),
        ("[fe80::1]:80", "::", True),
        ("evil.example", "0.0.0.0", False),
    ],
)
def test_a_server_for_others_is_called_by_its_name_or_by_numbers(host, listens, answered):
    assert is_own(host, frozenset({listens})) is answered


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 403),  # what a form of another site can send
        ({}, 403),
        ({"Content-Type": "application/json", "Origin": "http://evil.example"}, 403),
        ({"Content-Type": "application/json", "Origin": "null"}, 403),
        ({"Content-Type": "application/json", "Origin": "http://127.0.0.1:9"}, 403),
        ({"Content-Type": "application/json", "Origin": "http://127.0.0.1:8000"}, 400),
        ({"Content-Type": "application/json; charset=utf-8"}, 400),
    ],
)
def test_other_pages_cannot_send_anything(scene, headers, status):
    """A dataset has no live problem: what is let through is refused as that."""
    assert ask(scene, PREDICT, "POST", content=b"{}", headers=headers).status_code == status


def test_pictures_and_scripts_of_other_pages_start_no_work(scene):
    """Which a browser asks for without an Origin; a link that leads here is followed."""
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert ask(scene, "/api/live/start", headers=elsewhere).status_code == 403
    assert ask(scene, "/", headers=elsewhere).status_code == 200
    own = {"Sec-Fetch-Site": "same-origin"}
    assert ask(scene, "/api/about", headers=own).status_code == 200


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"nan"])
def test_what_is_no_json_object_is_refused(scene, content):
    headers = {"Content-Type": "application/json"}
    response = ask(scene, PREDICT, "POST", content=content, headers=headers)
    assert response.status_code == 400
    assert "JSON" in response.json()["error"]


def test_a_body_that_is_too_large_is_refused(scene):
    headers = {"Content-Type": "application/json"}
    response = ask(scene, PREDICT, "POST", content=b" " * (2**20 + 1), headers=headers)
    assert response.status_code == 413


def test_pages_may_not_run_scripts_of_others_nor_be_framed(scene):
    for path in ("/", "/api/about", "/none"):
        headers = ask(scene, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert ask(scene, "/api/about").headers["cache-control"] == "no-store"
    refused = ask(scene, "/", headers={"Host": "evil.example"})
    assert "content-security-policy" in refused.headers
