"""Tokens, and pages of elsewhere."""

import os

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from llt.errors import ConfigError
from llt.serve.access import OwnPages, Token, check_exposed, find_token, is_loopback
from tests.serve.made import ask, listening, refused

TOKEN = "0123456789abcdef"


async def secret(request):
    return PlainTextResponse("secret")


APP = Starlette(routes=[Route("/", secret), Route("/health", secret)])


@pytest.fixture(scope="module")
def guarded():
    with listening(Token(APP, token=TOKEN, open_paths=frozenset({"/health"}))) as port:
        yield port


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff\xfe", TOKEN],
)
def test_a_token_that_is_missing_or_wrong_is_refused(guarded, header):
    headers = {} if header is None else {"Authorization": header}
    found = ask(guarded, "/", **headers)
    assert "the token is missing or wrong" in refused(found, 401)
    assert found.headers["WWW-Authenticate"] == "Bearer" and TOKEN not in str(found.body)


def test_the_right_token_is_let_in(guarded):
    assert ask(guarded, "/", Authorization=f"Bearer {TOKEN}").body == b"secret"
    assert ask(guarded, "/", Authorization=f"bearer {TOKEN}").body == b"secret"


def test_health_needs_no_token(guarded):
    assert ask(guarded, "/health").status == 200
    assert ask(guarded, "/health/").status == 401


@pytest.fixture(scope="module")
def own():
    with listening(OwnPages(APP)) as port:
        yield port


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:80", "LOCALHOST:1"])
def test_names_of_this_machine_are_its_own(own, host):
    assert ask(own, "/", Host=host).body == b"secret"


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "127.0.0.1.nip.io:80"])
def test_a_name_of_elsewhere_that_leads_here_is_refused(own, host):
    assert "this is 127.0.0.1 or localhost" in refused(ask(own, "/", Host=host), 403)


def test_pages_of_elsewhere_are_refused(own):
    assert ask(own, "/", Host="localhost:5", Origin="http://localhost:5").status == 200
    for origin in (
        "http://example.org",
        "null",
        "http://localhost:6",
        "https://localhost:5",
        "http://x.localhost:5",
    ):
        found = ask(own, "/", Host="localhost:5", Origin=origin)
        assert "not for pages of" in refused(found, 403)


def test_other_machines_may_not_ask_without_a_token():
    for host in ("127.0.0.1", "::1", "localhost", "127.3.4.5"):
        assert is_loopback(host)
        check_exposed(host, None)
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org", ""):
        with pytest.raises(ConfigError, match="lets other machines ask; give a token"):
            check_exposed(host, None)
        check_exposed(host, TOKEN)


def test_a_token_comes_from_a_file_or_the_environment_which_keeps_none(tmp_path, monkeypatch):
    assert find_token(None) is None
    monkeypatch.setenv("LLT_TOKEN", f" {TOKEN}\n")
    assert find_token(None) == TOKEN and "LLT_TOKEN" not in os.environ
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}{TOKEN}\n")
    monkeypatch.setenv("LLT_TOKEN", TOKEN)
    assert find_token(file) == TOKEN * 2 and "LLT_TOKEN" not in os.environ


@pytest.mark.parametrize("text", ["", "short", "two lines 0123456789\nof it", "ü" * 20, "x" * 5000])
def test_a_token_that_is_none_is_refused(tmp_path, text):
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(ConfigError, match="a token has at least 16 characters") as caught:
        find_token(file)
    assert len(text) < 3 or text not in str(caught.value)


def test_a_token_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        find_token(tmp_path / "token")
    with pytest.raises(ConfigError, match="not a regular file"):
        find_token(tmp_path)
