"""Files made to do harm when they are loaded run nothing."""

import io
import json
import os
import pickle
import zipfile

import joblib
import numpy as np
import pytest
import skops.io

import colabel
from colabel.persistence import ModelError, load


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.fixture
def harm(tmp_path):
    """What a payload would make; it must not be there afterwards."""
    yield tmp_path / "harm"
    assert not (tmp_path / "harm").exists()


def refused(path):
    with pytest.raises(ModelError) as info:
        load(path)
    assert "\n" not in str(info.value)
    return str(info.value)


def test_the_payload_would_do_harm(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / "harm")))
    assert (tmp_path / "harm").exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol, tmp_path, harm):
    path = tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(Payload(harm), protocol=protocol))
    assert ("is a pickle" if protocol > 1 else "not a model") in refused(path)


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("xz", 3)])
def test_joblib_files(compress, tmp_path, harm):
    joblib.dump(Payload(harm), tmp_path / "model.skops", compress=compress)
    refused(tmp_path / "model.skops")


def node(module, name, loader, **content):
    return {"__module__": module, "__class__": name, "__loader__": loader, **content}


def text(value):
    return node("builtins", "str", "JsonNode", content=json.dumps(value), is_json=True)


def several(kind, *parts):
    return node("builtins", kind, f"{kind.capitalize()}Node", content=list(parts))


def mapping(content, key_types=None):
    keys = key_types or several("list", *[node("builtins", "str", "TypeNode") for _ in content])
    return node("builtins", "dict", "DictNode", content=content, key_types=keys)


def mkdir(loader="FunctionNode"):
    return node("os", "mkdir", loader)


def schemas(target):
    """Ways to have os.mkdir called with a target."""
    arguments = several("tuple", text(target))
    touch = several("tuple", text("touch"))
    path = node("pathlib", "PosixPath", "ConstructorFromReduceNode", content=arguments)
    ridge = ("colabel.classifiers.ridge", "LabelRidge", "ObjectNode")
    state = mapping({"bit_generator": text("seed")})
    return {
        "constructor": node("os", "mkdir", "ConstructorFromReduceNode", content=arguments),
        "builtin": node("posix", "mkdir", "ConstructorFromReduceNode", content=arguments),
        "list": node("os", "mkdir", "ListNode", content=[text(target)]),
        "set": node("os", "mkdir", "SetNode", content=[text(target)]),
        "tuple": node("os", "mkdir", "TupleNode", content=[text(target)]),
        "dict": node("os", "mkdir", "DictNode", content={}, key_types=several("list")),
        "keys": mapping({target: text(1)}, several("list", mkdir("TypeNode"))),
        "function": mkdir(),
        "type": mkdir("TypeNode"),
        "object": node("os", "mkdir", "ObjectNode", content=mapping({"a": text(target)})),
        "partial": node(
            "functools",
            "partial",
            "PartialNode",
            content={
                "func": mkdir(),
                "args": arguments,
                "kwds": mapping({}),
                "namespace": mapping({}),
            },
        ),
        "method": node(
            "pathlib", "PosixPath", "MethodNode", content={"func": "touch", "obj": path}
        ),
        "operator": node("operator", "methodcaller", "OperatorFuncNode", attrs=touch),
        "array": node("os", "mkdir", "NdArrayNode", type="numpy", file="array.npy"),
        "pickled array": node("numpy", "ndarray", "NdArrayNode", type="numpy", file="pickle.npy"),
        "pickled sparse": node(
            "scipy.sparse._csr", "csr_array", "SparseMatrixNode", type="scipy", file="pickle.npz"
        ),
        "default": node(
            "collections",
            "defaultdict",
            "DefaultDictNode",
            content={"main": mapping({}), "default_factory": mkdir()},
        ),
        "generator": node(
            "numpy.random._generator",
            "Generator",
            "RandomGeneratorNode",
            content={"bit_generator": state, "seed_seq": mapping({})},
        ),
        "inside a model": node(*ridge, content=mapping({"alpha": mkdir()})),
        "inside a trusted list": node(
            *ridge,
            content=mapping({"alpha": node("os", "mkdir", "ListNode", content=[text(target)])}),
        ),
        "import": node("harmful", "Thing", "ObjectNode", content=mapping({})),
    }


def archive(path, schema, members=(), protocol=None):
    """A file as colabel would have saved it, of another schema."""
    made = json.loads(zipfile.ZipFile(io.BytesIO(skops.io.dumps(1))).read("schema.json"))
    schema = {**schema, "protocol": made["protocol"] if protocol is None else protocol}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("schema.json", json.dumps(schema))
        file.writestr("colabel.json", json.dumps({"colabel": colabel.__version__}))
        for name, content in dict(members).items():
            file.writestr(name, content)
    return path


@pytest.mark.parametrize("protocol", [None, 0, 1])
@pytest.mark.parametrize("way", schemas(""))
def test_schemas(way, protocol, tmp_path, harm, monkeypatch):
    (tmp_path / "harmful.py").write_text(f"import os; os.mkdir({str(harm)!r})")
    monkeypatch.syspath_prepend(tmp_path)
    plain, pickled = io.BytesIO(), io.BytesIO()
    np.save(plain, np.array(str(harm)))
    np.save(pickled, np.array([Payload(harm)], dtype=object), allow_pickle=True)
    sparse = io.BytesIO()
    np.savez(sparse, format=b"csr", data=np.array([Payload(harm)], dtype=object))
    members = {
        "array.npy": plain.getvalue(),
        "pickle.npy": pickled.getvalue(),
        "pickle.npz": sparse.getvalue(),
    }
    schema = schemas(str(harm))[way]
    refused(archive(tmp_path / "model.skops", schema, members, protocol))


def test_the_archives_are_otherwise_sound(tmp_path):
    good = several("list", text("harmless"), mapping({"a": text(1)}))
    assert load(archive(tmp_path / "model.skops", good)) == ["harmless", {"a": 1}]


def test_a_schema_without_an_end(tmp_path):
    schema = text(1)
    for _ in range(300):
        schema = several("list", schema)
    path = archive(tmp_path / "model.skops", schema)
    deep = '{"__module__": "builtins", "__class__": "list", "__loader__": "ListNode", "content": ['
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("schema.json", deep * 50_000)
        file.writestr("colabel.json", json.dumps({"colabel": colabel.__version__}))
    refused(path)


def test_a_stamp_of_gigabytes(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.skops", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("colabel.json", " " * 10**8)
    assert "damaged" in refused(tmp_path / "model.skops")
