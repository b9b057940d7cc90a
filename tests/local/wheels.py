"""Wheels made from what is installed, so that installing can be tested without a network."""

from __future__ import annotations

import base64
import hashlib
import stat
import zipfile
from importlib.metadata import Distribution, PackagePath, distribution
from pathlib import Path


def repack(name: str, folder: Path) -> str:
    """Write the wheel an installed package came from, or one that installs the same; returns its line for a lock."""
    installed = distribution(name)
    stem = f"{name.replace('-', '_')}-{installed.version}"
    content = {_place(str(file), stem): Path(str(file.locate())).read_bytes() for file in _files(installed)}
    wheel = content[f"{stem}.dist-info/WHEEL"].decode()
    tag = next(line.split(": ")[1] for line in wheel.splitlines() if line.startswith("Tag: "))
    return write(folder, name, installed.version, tag, content)


def tiny(folder: Path, name: str) -> str:
    """Write a wheel with one module that holds a greeting; returns its line for a lock."""
    stem = f"{name}-1.0"
    content = {
        f"{name}.py": b"GREETING = 'hello'\n",
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{stem}.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    return write(folder, name, "1.0", "py3-none-any", content)


def write(folder: Path, name: str, version: str, tag: str, content: dict[str, bytes]) -> str:
    stem = f"{name.replace('-', '_')}-{version}"
    path = folder / f"{stem}-{tag}.whl"
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{place},sha256={_digest(data)},{len(data)}" for place, data in content.items()]
    with zipfile.ZipFile(path, "w") as archive:
        for place, data in {**content, record: "\n".join([*lines, f"{record},,", ""]).encode()}.items():
            archive.writestr(_executable(place), data)
    return f"{name}=={version} \\\n    --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def _files(installed: Distribution) -> list[PackagePath]:
    left_out = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
    found = [file for file in installed.files or [] if file.name not in left_out and file.suffix != ".pyc"]
    return [file for file in found if Path(str(file.locate())).exists()]


def _place(file: str, stem: str) -> str:
    """Programs lie outside of the package when installed, and in a folder of their own inside a wheel."""
    return f"{stem}.data/scripts/{Path(file).name}" if file.startswith("..") else file


def _executable(place: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(place)
    info.external_attr = (stat.S_IFREG | (0o755 if ".data/scripts/" in place else 0o644)) << 16
    return info


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
