"""Messages spell options as the caller does: ``epochs=5`` in Python, ``--epochs 5`` in a shell."""

import ast
import contextlib
import http.client
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import hypercone
from hypercone.cli.main import COMMANDS, command_parser, main
from hypercone.errors import FLAGS, InputError, option, option_language
from hypercone.formats.registry import NAMES, READERS, TABLE_OPTIONS
from hypercone.plotting.plot import KINDS
from hypercone.training.config import OPTIONS

SOURCE = Path(hypercone.__file__).parent
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "cli" not in path.relative_to(SOURCE).parts]
FLAG = re.compile(r"(?<![\w!-])--[a-zA-Z]")
# K and dim also occur in formulas.
IN_TOML = re.compile(rf"\b({'|'.join(sorted(OPTIONS.keys() - {'K', 'dim'}))}) = [\w{{'\"]")

# Names that are not literals: the file, the expression, and all possible values.
COMPUTED = {
    ("training/option.py", "self.name"): set(OPTIONS),
    ("training/config.py", "name"): set(OPTIONS),
    ("formats/shapes.py", "name"): set(TABLE_OPTIONS),
    ("formats/nested.py", "name"): set(TABLE_OPTIONS),
    ("formats/registry.py", "option_name"): {
        name for names in (TABLE_OPTIONS, *(r.options for r in READERS.values())) for name in names
    },
}


def calls_of_option():
    """(file, line, the node of the name) of each call."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "option":
                yield path.relative_to(SOURCE).as_posix(), node.lineno, node.args[0]


def names_of(file, node):
    if isinstance(node, ast.Constant):
        return {node.value}
    place = file, ast.unparse(node)
    assert place in COMPUTED, f"{place}: give option a literal name, or list its possible values here"
    return COMPUTED[place]


def flags_of(command):
    return {flag for action in command_parser(command)._actions for flag in action.option_strings}


def parameters():
    """Every parameter of a public function, method or class, every option of a picture, every setting of a fit."""
    found = set(OPTIONS)
    found.update(*(inspect.signature(picture).parameters for picture in KINDS.values()))
    names = [module.name for module in pkgutil.iter_modules(hypercone.__path__) if module.ispkg]
    for package in (hypercone, *(importlib.import_module(f"hypercone.{name}") for name in names)):
        for thing in (getattr(package, name) for name in getattr(package, "__all__", ())):
            public = [m for n, m in vars(thing).items() if n[0] != "_"] if inspect.isclass(thing) else []
            for member in (thing, *public):
                # Constants, types of arrays and exceptions have no parameters of their own.
                with contextlib.suppress(TypeError, ValueError):
                    found.update(inspect.signature(getattr(member, "__func__", member)).parameters)
    return found


def flag_of(name):
    with option_language("shell"):
        return option(name)


def test_every_option_that_a_message_names_is_a_parameter_and_a_flag():
    named = {name: f"{file}:{line}" for file, line, node in calls_of_option() for name in names_of(file, node)}
    assert len(named) > 40
    known, given = parameters(), set().union(*map(flags_of, COMMANDS))
    for name, place in named.items():
        assert name.rpartition(".")[2] in known, f"{place}: {name} is not a parameter"
        assert flag_of(name) in given, f"{place}: {name} has no flag"
    assert {flag_of(name) for name in OPTIONS} <= flags_of("fit")
    # The table of flags has no regular or unused entries.
    assert FLAGS.keys() <= named.keys()
    assert not [name for name, flag in FLAGS.items() if flag == f"--{name.replace('_', '-')}"]


def texts(tree):
    """(line, text) of each string that is not a docstring, with the parts of an f-string joined."""
    blocks = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    hidden = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, blocks) and ast.get_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            hidden.update(id(part) for part in node.values)
            yield node.lineno, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_text_outside_the_command_line_contains_a_flag_or_a_line_of_toml(path):
    for line, text in texts(ast.parse(path.read_text(encoding="utf-8"))):
        assert text in FLAGS.values() or not FLAG.search(text), f"{path}:{line}: {text!r}; use hypercone.errors.option"
        assert not IN_TOML.search(text), f"{path}:{line}: {text!r}; use hypercone.errors.option"


@pytest.mark.parametrize(
    ("given", "in_python", "in_a_shell"),
    [
        (("direction",), "direction", "--direction"),
        (("direction", "parent-child"), 'direction="parent-child"', "--direction parent-child"),
        (("burn_in", 5), "burn_in=5", "--burn-in 5"),
        (("parent", "NAME"), 'parent="NAME"', "--parent-column NAME"),
        (("parent", "is a"), 'parent="is a"', "--parent-column 'is a'"),
        (("parent", 'a "b"'), "parent='a \"b\"'", "--parent-column 'a \"b\"'"),
        (("parent", "it's"), 'parent="it\'s"', "--parent-column 'it'\"'\"'s'"),
        (("resume", True), "resume=True", "--resume"),
        (("checkpoint.epochs", 3), "epochs=3", "--checkpoint-epochs 3"),
        (("relations", ["is_a", "part_of"]), 'relations=["is_a", "part_of"]', "--relations is_a,part_of"),
        (("on_cycle", "condense", "drop"), 'on_cycle="condense" or "drop"', "--on-cycle condense or drop"),
        (("K", 0.1), "K=0.1", "--K 0.1"),
    ],
)
def test_an_option_is_written_as_each_caller_writes_it(given, in_python, in_a_shell):
    assert option(*given) == in_python
    with option_language("shell"):
        assert option(*given) == in_a_shell
    assert option(*given) == in_python


TREE = hypercone.load_dataset("tree-2-3")
MODEL, FLAT = hypercone.fit(TREE, dim=2), hypercone.fit(TREE, "order", dim=2, epochs=2)


def saved_again():
    for _ in range(2):
        hypercone.fit(TREE, "order", dim=2, epochs=2, checkpoint=hypercone.Checkpointing("begun", resume=False))


def served(**options):
    from hypercone.service import Options, serve

    serve({"model": hypercone.load("model")}, Options(**options))


# The call in Python, the command in a shell, and the message, with «in Python|in a shell» where they differ.
CASES = {
    "a setting of learning": (
        lambda: hypercone.fit(TREE, method="overlapping-caps", burn_in=3),
        "fit tree-2-3 -o new --method overlapping-caps --burn-in 3",
        "«burn_in|--burn-in» is 3, but overlapping-caps is constructed and learns nothing; leave it out, or choose"
        ' «method="hyperbolic-cones"|--method hyperbolic-cones»',
    ),
    "settings that contradict each other": (
        lambda: hypercone.fit(TREE, method="poincare", init="poincare"),
        "fit tree-2-3 -o new --method poincare --init poincare",
        '«init|--init» is poincare, the method itself; use «init="random"|--init random» and more «epochs|--epochs»',
    ),
    "a table that does not say who is the parent": (
        lambda: hypercone.read("bare.tsv"),
        "info bare.tsv",
        "bare.tsv:1: which column is the parent? The first line is a, b; add a header line with the columns parent and"
        ' child, or say «direction="parent-child" or "child-parent"|--direction parent-child or child-parent», or name'
        " the columns with «parent|--parent-column» and «child|--child-column»",
    ),
    "a graph that does not": (
        lambda: hypercone.read("bare.graphml"),
        "info bare.graphml",
        "bare.graphml: GraphML does not say whether an edge points to the child or to the parent; say"
        ' «direction="parent-child" or "child-parent"|--direction parent-child or child-parent»',
    ),
    "a cycle": (
        lambda: hypercone.read("circle.tsv"),
        "info circle.tsv",
        "circle.tsv:3: the edges form a cycle, parent → child: a → b → a; remove one of these edges, or read it with"
        ' «on_cycle="condense" or "drop"|--on-cycle condense or drop»',
    ),
    "a format that nothing tells": (
        lambda: hypercone.read("words.data"),
        "info words.data",
        "words.data: the format cannot be inferred from its name or first line; say which it is with"
        f" «format|--format»: {', '.join(NAMES)}",
    ),
    "an option that means nothing": (
        lambda: hypercone.read("circle.tsv", relations=["part_of"]),
        "info circle.tsv --relations part_of",
        "circle.tsv: «relations|--relations» does not apply to the format tsv; leave it out",
    ),
    "a percentage": (
        lambda: TREE.split(95.0),
        "split tree-2-3 --percent 95 -o new",
        "«percent|--percent» is 95.0, but must be from 0 to 90; the rest is held out for validation and test",
    ),
    "a run that is there": (
        saved_again,
        "fit tree-2-3 -o new --method order --dim 2 --epochs 2 --quiet --run begun",
        "begun: holds a run already (training, epoch 2); go on with it by «resume=True|--resume», or give a new folder",
    ),
    "coordinates": (
        lambda: hypercone.load("flat").export("points.tsv", coordinates="klein"),
        "export flat points.tsv --coordinates klein",
        'order is flat, so its points have no klein coordinates; use «coordinates="own"|--coordinates own»',
    ),
    "a view": (
        lambda: hypercone.load("flat").plot("disk", "disk.svg", view="own"),
        "plot flat -o disk.svg --view own",
        "a model of order in 2-D has no points of its own in the Poincaré disk; use"
        ' «view="construction" or "projection"|--view construction or projection»',
    ),
    "a node without parents": (
        lambda: hypercone.load("model").add("x", []),
        "place model x -o new",
        "'x' has no «parents|--parent»; give at least one, to say where it belongs",
    ),
    "a service without a token": (
        lambda: served(host="0.0.0.0", port=0),
        "serve model --host 0.0.0.0 --port 0",
        "0.0.0.0 can be reached from other machines, and so needs a token; give «token|--token-file» (hypercone serve"
        " also takes it from HYPERCONE_TOKEN)",
    ),
}


def in_both(marked):
    """The message in Python and in a shell."""
    return [re.sub(r"«(.*?)\|(.*?)»", rf"\{side}", marked) for side in (1, 2)]


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """A folder with two models, and files that need an option to be read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPERCONE_TOKEN", raising=False)
    MODEL.save("model")
    FLAT.save("flat")
    Path("bare.tsv").write_text("a\tb\n")
    Path("bare.graphml").write_text("<graphml/>")
    Path("circle.tsv").write_text("parent\tchild\na\tb\nb\ta\n")
    Path("words.data").write_text("dog\n")
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_an_error_is_one_sentence_in_both_languages(case, inside, capsys):
    call, command, marked = CASES[case]
    in_python, in_a_shell = in_both(marked)
    with pytest.raises(hypercone.HyperconeError) as caught:
        call()
    assert str(caught.value) == in_python
    assert main(command.split()) == 2
    assert capsys.readouterr().err == f"hypercone: {in_a_shell}\n"


def test_a_setting_in_a_file_is_named_as_in_the_file(inside, capsys):
    Path("fit.toml").write_text("burn_in = -1\n")
    said = "fit.toml: burn_in is -1, but must be at least 0"
    with pytest.raises(InputError) as caught:
        hypercone.fit(TREE, "poincare", recipe="fit.toml")
    assert str(caught.value) == said
    assert main(["fit", "tree-2-3", "-o", "new", "--config", "fit.toml"]) == 2
    assert capsys.readouterr().err == f"hypercone: {said}\n"
    assert hypercone.fit(TREE, "poincare", recipe="fit.toml", burn_in=2, epochs=1).made_by == "poincare"


def test_the_seed_of_a_split_has_its_own_flag(capsys):
    assert main(["fit", "tree-2-3", "-o", "new", "--percent", "50", "--split-seed", "-1"]) == 2
    assert capsys.readouterr().err == "hypercone: --split-seed is -1, but must be at least 0\n"


@pytest.mark.parametrize("command", ["info tree-2-3", "info nothing.tsv", "--help", "info --nonsense"])
def test_a_command_restores_the_language(command, inside, capsys):
    main(command.split())
    assert option("burn_in") == "burn_in"
    with option_language("shell"):
        main(command.split())
        assert option("burn_in") == "--burn-in"
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(option, "burn_in").result() == "--burn-in"


def test_a_command_that_fails_restores_the_language(monkeypatch):
    def breaks(options):
        raise RuntimeError(option("burn_in"))

    monkeypatch.setattr("hypercone.cli.data.run_info", breaks)
    with pytest.raises(RuntimeError, match=r"^--burn-in$"):
        main(["info", "tree-2-3"])
    assert option("burn_in") == "burn_in"


def test_a_service_uses_flags_in_a_real_shell_and_parameters_over_http_and_in_python(inside):
    environment = {name: value for name, value in os.environ.items() if name != "HYPERCONE_TOKEN"}
    program = [sys.executable, "-m", "hypercone.cli.main", "serve", "model", "--port"]
    server = subprocess.Popen([*program, "0"], stdout=subprocess.PIPE, text=True, cwd=inside, env=environment)
    try:
        address = urlsplit(server.stdout.readline().rsplit(" ", 1)[1].strip())
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        connection.request("GET", "/v1/models", headers={"Host": "elsewhere.example.org"})
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        assert answer.status == 421
        assert "whoever runs it can allow that with allow_hosts" in said
        assert "--" not in said
        port = f"{address.port} of 127.0.0.1 is in use; choose another, or"
        again = [*program, str(address.port)]
        done = subprocess.run(again, capture_output=True, text=True, check=False, timeout=120, cwd=inside)
        assert (done.returncode, done.stderr) == (2, f"hypercone: --port {port} --port 0 for any\n")
        with pytest.raises(InputError) as caught:
            served(port=address.port)
        assert str(caught.value) == f"port {port} port=0 for any"
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()


def test_an_unknown_option_of_a_picture_is_refused_with_a_suggestion(inside):
    with pytest.raises(InputError, match=r"^veiw is not an option of the picture disk; did you mean view\?$"):
        hypercone.load("flat").plot("disk", veiw="projection")
