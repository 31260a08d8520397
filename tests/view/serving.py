"""A scene behind a server of its own, in a thread of the test."""

import time
from contextlib import contextmanager
from threading import Thread

import uvicorn

from llt.serve.connection import Connection
from llt.serve.server import address, bind
from llt.view.application import make_app


@contextmanager
def served(scene, port=0):
    """The address; the server ends with the block, the scene does not."""
    sock = bind("127.0.0.1", port)
    config = uvicorn.Config(
        make_app(scene), http=Connection, ws="none", log_config=None, lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield address(sock)
    finally:
        # a browser keeps its connections open
        server.should_exit = server.force_exit = True
        thread.join()
        sock.close()
