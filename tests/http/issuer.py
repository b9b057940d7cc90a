"""An issuer of tokens for the tests: its keys are served over HTTP from this machine."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

if TYPE_CHECKING:
    from collections.abc import Iterator


class Issuer:
    """Signs tokens, and publishes the public half of its keys at `url`."""

    def __init__(self, url: str, algorithm: str) -> None:
        self.url = url
        self.fetches = 0
        self.down = False
        self.keys: dict[str, tuple[str, Any]] = {}
        self.published: list[dict[str, object]] = []
        self.add("first", algorithm)

    def add(self, kid: str, algorithm: str) -> None:
        if algorithm == "RS256":
            rsa_key = rsa.generate_private_key(65537, 2048)
            self._publish(kid, algorithm, rsa_key, RSAAlgorithm.to_jwk(rsa_key.public_key(), as_dict=True))
        else:
            ec_key = ec.generate_private_key(ec.SECP256R1())
            self._publish(kid, algorithm, ec_key, ECAlgorithm.to_jwk(ec_key.public_key(), as_dict=True))

    def sign(self, claims: dict[str, object], kid: str = "first", **headers: object) -> str:
        algorithm, key = self.keys[kid]
        timed = {"iat": int(time.time()), "exp": int(time.time()) + 300, **claims}
        given = {name: value for name, value in timed.items() if value is not None}
        return jwt.encode(given, key, algorithm, headers={"kid": kid, **headers})

    def _publish(self, kid: str, algorithm: str, key: object, public: dict[str, Any]) -> None:
        self.keys[kid] = (algorithm, key)
        self.published.append({**public, "kid": kid, "alg": algorithm, "use": "sig"})


@contextmanager
def serving(algorithm: str = "RS256") -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name http.server asks for
            issuer.fetches += 1
            body = json.dumps({"keys": issuer.published}).encode()
            self.send_response(500 if issuer.down else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}/certs", algorithm)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
