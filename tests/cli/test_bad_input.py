"""Bad input and faults end in one sentence with the right exit code, and leave no files behind."""

from __future__ import annotations

import errno
import os
import re
import shlex
from pathlib import Path

import pytest
from tests.support.embeddings import all_files

from hypercone.cli import demo, fit
from hypercone.cli.main import COMMANDS
from hypercone.embedding import load


def _is_one_sentence(done, code: int = 2, words: str = "") -> bool:
    assert (done.code, done.out) == (code, ""), done
    assert re.fullmatch("hypercone: .*\n", done.err), done.err
    assert words in done.err
    return True


FIT = ("fit", "tree-2-3", "-o", "new")
RUN = ("fit", "tree-2-3", "-o", "model")
PLACE = ("place", "MODEL", "-o", "new")
ASK = ("query", "MODEL", "is-a", "--names")
FILES = {
    "broken.toml": "dim = = 2",
    "unknown.toml": "epoch = 3",
    "wrong.toml": 'dim = "two"',
    "file": "mine",
    "folder/thesis.tex": "years of work",
    "notes/lock": "the code of my bicycle's lock",
    "empty.tsv": "",
    "headers.tsv": "parent\tchild\n",
    "headerless.tsv": "a\tb\n",
    "cycle.tsv": "parent\tchild\na\tb\nb\ta\n",
    "pairs.tsv": "parent\tchild\nanimal\tdog\n",
    "unknown-name.tsv": "parent\tchild\nanimal\tunicorn\nanimal\tdog\n",
    "misspelled.tsv": "parent\tchild\nanimal\tnew\ndgo\thusky\n",
    "asked.tsv": "dog\tanimal\r\n\npodle\tdog\n",
    "one.tsv": "dog\tanimal\ndog\n",
    "three.tsv": "dog\tanimal\ncat\tdog\tanimal\n",
    "half.tsv": "dog\tanimal\ndog\t\n",
}


def _typed(arguments) -> str:
    return shlex.join(["hypercone", *arguments])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("frobnicate",), "'frobnicate'"),
        (("--frobnicate",), "required: COMMAND"),
        (("fit",), "required: SOURCE, -o/--output"),
        ((*FIT, "--dim", "1.5"), "--dim is '1.5', but must be a whole number"),
        ((*FIT, "--dim", "0"), "dim is 0, but must be at least 1"),
        ((*FIT, "--dim", "5000"), "dim is 5000, but must be at most 1024"),
        ((*FIT, "--dim"), "argument --dim: expected one argument"),
        ((*FIT, "--epoch", "3"), "there is no option --epoch; did you mean --epochs?"),
        ((*FIT, "--lr", "0.1"), "there is no option --lr; did you mean --rate?"),
        ((*FIT, "--n-components=3"), "there is no option --n-components; did you mean --dim?"),
        ((*FIT, "--random-state", "1"), "there is no option --random-state; did you mean --seed?"),
        ((*FIT, "--directoin", "child-parent"), "there is no option --directoin; did you mean --direction"),
        ((*FIT, "--frobnicate"), "unrecognized arguments: --frobnicate"),
        ((*FIT, "another"), "unrecognized arguments: another"),
        ((*FIT, "--rate", "fast"), "--rate is 'fast', but must be a number"),
        ((*FIT, "--rate", "nan"), "rate is nan, but must be a finite number"),
        ((*FIT, "--rate", "-1"), "rate is -1.0, but must be above 0"),
        ((*FIT, "--K", "inf"), "K is inf"),
        ((*FIT, "--method", "ordre"), "there is no method 'ordre'; did you mean order?"),
        ((*FIT, "--schedule", "cosine"), "schedule is 'cosine', but must be one of constant, linear"),
        ((*FIT, "--init", "poincare", "--method", "poincare"), "init is poincare, the method itself"),
        ((*FIT, "--seed", "-1"), "seed is -1"),
        ((*FIT, "--percent", "x"), "argument --percent: invalid float value: 'x'"),
        ((*FIT, "--percent", "200"), "--percent is 200.0, but must be from 0 to 90"),
        ((*FIT, "--percent", "nan"), "--percent is nan"),
        ((*FIT, "--percent", "50", "--split-seed", "-1"), "--split-seed is -1, but must be at least 0"),
        ((*FIT, "--percent", "50", "--split", "s"), "--split and --percent both say what to hold out"),
        ((*FIT, "--split", "nowhere"), "nowhere"),
        ((*FIT, "--config", "missing.toml"), "missing.toml: cannot be read (No such file or directory)"),
        ((*FIT, "--config", "broken.toml"), "broken.toml: is not valid TOML"),
        ((*FIT, "--config", "unknown.toml"), "there is no setting 'epoch'; did you mean epochs"),
        ((*FIT, "--config", "wrong.toml"), "dim is 'two', but must be a whole number"),
        ((*FIT, "--config", "."), "cannot be read (Is a directory)"),
        (("fit", "tree-2-3", "-o", "file"), "file: is a file; give a folder"),
        (("fit", "tree-2-3", "-o", "folder"), "folder: is a folder with other things in it"),
        (
            (*FIT, "--method", "overlapping-caps", "--epochs", "3"),
            "epochs is 3, but overlapping-caps is constructed and learns",
        ),
        ((*FIT, "--method", "nested-caps", "--dim", "1"), "dim is 1, but nested-caps needs at least 2"),
        ((*FIT, "--method", "order", "--init", "nested-caps"), "init is nested-caps, but order has no cones"),
        (("fit", "tree-2-3", "-o", "x" * 300), "cannot be written (File name too long)"),
        ((*RUN, "--resume"), "--resume needs --run FOLDER, where the checkpoints are"),
        ((*RUN, "--checkpoint-epochs", "5"), "--checkpoint-epochs needs --run FOLDER"),
        ((*RUN, "--checkpoint-seconds", "5"), "--checkpoint-seconds needs --run FOLDER"),
        ((*RUN, "--run", "model"), "--run model is -o model or inside it; give the checkpoints a folder of their own"),
        ((*RUN, "--run", "model/inside"), "--run model/inside is -o model or inside it"),
        ((*RUN, "--run", "link"), "--run link is -o model or inside it"),
        ((*RUN, "--run", "r", "--checkpoint-epochs", "0"), "-epochs is 0, but must be at least 1 from a checkpoint"),
        ((*RUN, "--run", "r", "--checkpoint-seconds", "nan"), "-seconds is nan, but must be a number above 0"),
        ((*RUN, "--run", "file"), "file: is a file; give a folder for the run"),
        ((*RUN, "--run", "notes"), "notes/lock: is not a run's; give another folder for the run"),
        ((*RUN, "--run", "file/run"), "file/run: cannot be written (Not a directory)"),
        ((*RUN, "--run", "folder"), "folder: is a folder with other things in it; give a new one for the run"),
        (PLACE, "give the name of one new node with --parent, or a file of many with --edges"),
        (
            ("place", "MODEL", "x", "--edges", "pairs.tsv", "-o", "new"),
            "give the name of one new node with --parent, or a file",
        ),
        (("place", "MODEL", "x", "-o", "new"), "'x' has no --parent; give at least one, to say where it belongs"),
        (("place", "MODEL", "x", "--parent", "dgo", "-o", "new"), "there is no node 'dgo'; did you mean dog?"),
        (("place", "MODEL", "dog", "--parent", "cat", "-o", "new"), "'dog' is already in the model; give the new node"),
        ((*PLACE, "--edges", "missing.tsv"), "missing.tsv"),
        ((*PLACE, "--edges", "pairs.tsv", "--label", "x"), "--label are for one new node, not for --edges; leave them"),
        ((*PLACE, "--edges", "unknown-name.tsv"), "tsv:3: 'dog' is already in the model; only new nodes can be placed"),
        ((*PLACE, "--edges", "misspelled.tsv"), "misspelled.tsv:3: there is no node 'dgo'; did you mean"),
        ((*PLACE, "--edges", "headers.tsv"), "headers.tsv: has no edges, so there is nothing to place"),
        (("suggest", "MODEL", "--count", "0"), "count is 0"),
        (("suggest", "MODEL", "--hierarchy", "missing.tsv"), "missing.tsv"),
        (("suggest", "MODEL", "--hierarchy", "unknown-name.tsv"), "no node 'unicorn'"),
        (("compare", "MODEL"), "required: "),
        (("compare", "MODEL", "MODEL", "--sample", "-1"), "sample is -1"),
        (("query", "MODEL", "lca", "dog"), "lca takes NAME NAME"),
        (("query", "MODEL", "explain", "dog"), "explain takes CHILD PARENT"),
        (("info", "wordnet-noun"), "there is no file or dataset 'wordnet-noun'; the datasets are wordnet-nouns, "),
        (("info", "missing.tsv"), "missing.tsv"),
        (("info", "tree-0-0"), "tree-0-0 is not a tree"),
        (("info", "tree-9-99"), "tree-9-99 is too large"),
        (("info", "empty.tsv"), "empty.tsv"),
        (("info", "headerless.tsv"), "which column is the parent?"),
        (("info", "headerless.tsv", "--direction", "sideways"), "invalid choice: 'sideways'"),
        (("info", "headerless.tsv", "--parent-column", "1"), "name both"),
        (("info", "cycle.tsv"), "cycle.tsv:3: "),
        (("info", "."), "."),
        (("query", "MODEL", "cousins", "dog"), "invalid choice: 'cousins'"),
        (("query", "MODEL", "is-a", "dog"), "is-a takes CHILD PARENT, but was given 1 name: dog"),
        (("query", "MODEL", "vector", "dog", "cat"), "vector takes NAME, but was given 2 names: dog cat"),
        (("query", "MODEL", "ancestors", "podle"), "there is no node 'podle'; did you mean poodle"),
        (("query", "MODEL", "ancestors", "dog", "--limit", "x"), "invalid int value: 'x'"),
        (("query", "MODEL", "ancestors", "dog", "--limit", "-1"), "limit is -1"),
        (("query", "MODEL", "parents"), "parents takes NAME, but was given no name"),
        (("query", "MODEL", "parents", "--names", "missing.tsv"), "there is no such file"),
        (("query", "MODEL", "parents", "dog", "--names", "asked.tsv"), "the command line (dog) and by --names; leave"),
        ((*ASK, "asked.tsv"), "asked.tsv:3: there is no node 'podle'; did you mean poodle"),
        ((*ASK, "asked.tsv", "--json"), "asked.tsv:3: there is no node 'podle'; did you mean poodle"),
        ((*ASK, "one.tsv"), "one.tsv:2: is-a takes CHILD PARENT, but was given 1 name: dog"),
        ((*ASK, "three.tsv"), "three.tsv:2: is-a takes CHILD PARENT, but was given 3 names: cat dog animal"),
        ((*ASK, "half.tsv"), "half.tsv:2: there is no node ''"),
        ((*ASK, "empty.tsv"), "empty.tsv: is empty; it should hold one question per line"),
        (("bench", "kernel"), "the command bench is gone; run python -m benchmarks kernels in the repository"),
        (("evaluate", "MODEL", "--missed", "folder"), "folder: "),
        (("fit", "TAXONOMY", "-o", "m", "--missed", "folder"), "folder: "),
        (("evaluate", "MODEL", "--group-by", "depth"), "say what to evaluate on"),
        (("evaluate", "MODEL", "--references"), "--references needs --all-pairs, --hard or --split"),
        (("evaluate", "MODEL", "--hard", "--sample", "0"), "sample is 0, but must be at least 1"),
        (("evaluate", "MODEL", "--hard", "--seed", "-1"), "seed is -1, but must be at least 0"),
        (("evaluate", "MODEL", "--hard", "--threshold", "nan"), "--threshold is nan"),
        (("evaluate", "MODEL", "--all-pairs", "--threshold", "inf", "--group-by", "parents"), "--threshold is inf"),
        (("evaluate", "MODEL", "--positives", "pairs.tsv"), "go together"),
        (("evaluate", "MODEL", "--positives", "pairs.tsv", "--negatives", "missing.tsv"), "missing.tsv"),
        (("evaluate", "MODEL", "--positives", "unknown-name.tsv", "--negatives", "pairs.tsv"), "unknown-name.tsv:2: "),
        (("evaluate", "MODEL", "--split", "nowhere"), "nowhere"),
        (("evaluate", "MODEL", "--reconstruction", "tree-2-3"), "tree-2-3: its nodes are not the model's"),
        (("evaluate", "MODEL", "--reconstruction", "TAXONOMY", "--sample", "-1"), "sample is -1"),
        (("evaluate", "MODEL", "--reconstruction", "TAXONOMY", "--threads", "0"), "threads is 0"),
        (("export", "MODEL", "points.xlsx"), "say which format to write with --format: tsv, npz, word2vec"),
        (("export", "MODEL", "folder", "--format", "tsv"), "folder: is a folder"),
        (("export", "MODEL", "file/p.tsv"), "cannot be written"),
        (("plot", "MODEL", "-o", "p.xlsx"), "p.xlsx: is not a picture format; end it in .svg, .png or .pdf"),
        (("plot", "nowhere", "-o", "a.jpeg"), "a.jpeg: is not a picture format; end it in .svg, .png or .pdf"),
        (("plot", "MODEL", "-o", "folder"), "folder: is a folder"),
        (("plot", "MODEL", "-o", "file/p.svg"), "cannot be written"),
        (("plot", "MODEL", "--kind", "globe"), "invalid choice: 'globe'"),
        (("plot", "MODEL", "--center", "podle"), "there is no node 'podle'; did you mean poodle"),
        (("plot", "MODEL", "--cones", "unicorn"), "there is no node 'unicorn'"),
        (("plot", "MODEL", "--labels=-1"), "labels is -1, but must be from 0 to 500"),
        (("plot", "MODEL", "--center", "dog", "--origin"), "both say what is in the middle"),
        (("plot", "MODEL", "--kind", "norms", "--cones", "dog"), "--cones is for the picture disk, not for norms"),
        (("plot", "MODEL", "--kind", "disk", "--split", "s"), "--split is for the picture precision-recall"),
        (("plot", "MODEL", "--kind", "precision-recall", "--split", "nowhere"), "nowhere"),
        (("explore", "MODEL", "-o", "file/p.html"), "cannot be written"),
        (("split", "tree-2-3", "-o", "new", "--percent", "101"), "--percent is 101.0"),
        (("split", "tree-2-3", "-o", "new", "--seed", "-1"), "--seed is -1"),
        (("split", "tree-2-3", "-o", "file"), "file/train.tsv: cannot be written"),
        (("serve", "MODEL", "MODEL"), "two models are named 'model'; write NAME=FOLDER"),
        (("serve", "=x"), "'=x' gives no name to serve the model under; write NAME=FOLDER"),
        (("serve", "a/b=x"), "'a/b=x' gives no name"),
        (("serve", "/"), "'/' gives no name"),
        (("serve", "MODEL", "--port", "65536"), "--port is 65536, but must be from 0"),
        (("serve", "MODEL", "--deadline", "0"), "deadline is 0, but must be above 0"),
        (("serve", "MODEL", "--deadline", "nan"), "deadline is nan"),
        (("serve", "MODEL", "--concurrency", "0"), "concurrency is 0"),
        (("serve", "MODEL", "--host", "0.0.0.0"), "0.0.0.0 can be reached from other machines, and so needs a token"),
        (("serve", "MODEL", "--host", "no such host"), "'no such host' is not a host name"),
        (("serve", "MODEL", "--token-file", "missing"), "missing: cannot be read (No such file or directory)"),
        (("serve", "MODEL", "--token-file", "empty.tsv"), "empty.tsv: the token is empty"),
        (("serve", "MODEL", "--allow-host", "a:80"), "'a:80' is not a host name"),
        (("serve", "MODEL", "--cors", "*"), "'*' is not an origin"),
        (("warm", "--dims", "5", "33"), "--dims has 33, but must be from 2 to 32"),
        (("reproduce", "table1", "--methods", "cones"), "there is no method 'cones'"),
        (("reproduce", "table1", "--recipes", "tunde"), "there is no recipe 'tunde'; did you mean tuned?"),
        (("reproduce", "table1", "--dims", "0"), "none may be below 1"),
        (("reproduce", "table1", "--percent", "10,95"), "each must be from 0 to 90"),
        (("reproduce", "table1", "--percent", "ten"), "must be comma-separated percentages"),
        (("reproduce", "table1", "--seeds", "0"), "--seeds is 0, but must be at least 1"),
        (("reproduce", "table1", "--jobs", "0", "--seeds", "1"), "--jobs is 0, but must be at least 1"),
        (("reproduce", "table1", "--split", "nothing"), "nothing"),
        (("reproduce", "claims", "--claims", "growht"), "there is no claim 'growht'; did you mean growth?"),
        (("reproduce", "figure2", "--dims", "5"), "--dims is for table1, not for figure2; leave it out"),
        (("reproduce", "table1", "--format", "gif"), "--format is for film, not for table1; leave it out"),
        (("reproduce", "figure2", "-o", "file"), "cannot be written"),
        (("demo", "--source", "wordnet"), "there is no dataset 'wordnet'; did you mean wordnet-nouns"),
        (("demo", "--source", "tree-2-3", "--seed", "-1"), "--seed is -1"),
        (("demo", "--source", "tree-2-3", "-o", "folder"), "folder: is a folder with other things in it"),
    ],
    ids=lambda value: " ".join(value)[:70] if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run, fault_row, model, taxonomy, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("model")
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, newline="")
    given = [{"MODEL": str(model), "TAXONOMY": str(taxonomy)}.get(word, word) for word in arguments]
    done = run(*given)
    assert _is_one_sentence(done, 2, words)
    fault_row("bad input", _typed(arguments), done)
    assert all_files(tmp_path) == {name: text.encode() for name, text in FILES.items()}


def test_every_command_meets_bad_input_above():
    cases = test_bad_input_is_one_sentence_and_exit_code_2.pytestmark[0].args[1]
    assert {arguments[0] for arguments, _ in cases} >= set(COMMANDS)


def test_a_real_process_ends_with_the_same_code_and_sentence(process, fault_row, tmp_path):
    assert _is_one_sentence(process(*FIT, "--dim", "zero", cwd=tmp_path), 2, "--dim is 'zero'")
    assert _is_one_sentence(process("query", "nowhere", "vector", "x", cwd=tmp_path), 3, "there is no such model")
    done = process("info", "-", cwd=tmp_path, input="parent\tchild\n")
    assert _is_one_sentence(done, 2)
    fault_row("bad input", "hypercone info - < headers-alone.tsv", done)


def _commands_on(model) -> list[tuple[str, ...]]:
    return [
        ("query", str(model), "vector", "dog"),
        ("place", str(model), "husky", "--parent", "dog", "-o", "larger"),
        ("suggest", str(model)),
        ("compare", str(model), str(model)),
        ("serve", str(model)),
        ("evaluate", str(model), "--reconstruction", "tree-2-3"),
        ("export", str(model), "points.tsv"),
        ("plot", str(model), "-o", "picture.svg"),
        ("explore", str(model), "-o", "page.html"),
    ]


def test_a_bad_model_is_exit_code_3(run, fault_row, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments in _commands_on("nowhere"):
        done = run(*arguments)
        assert _is_one_sentence(done, 3, "nowhere: there is no such model folder")
        fault_row("bad input", _typed(arguments), done)
    damaged = load(model).save(tmp_path / "damaged")
    points = damaged / "model.safetensors"
    points.write_bytes(points.read_bytes()[:-1] + b"!")
    for arguments in _commands_on(damaged):
        done = run(*arguments)
        assert _is_one_sentence(done, 3, "model.safetensors: does not match its checksum")
    fault_row("hostile file", "a model whose points have one byte changed", done)
    assert os.listdir(tmp_path) == ["damaged"]


def _raising(error: BaseException):
    def stand_in(*arguments, **options):
        raise error

    return stand_in


FULL = OSError(errno.ENOSPC, "No space left on device")
OUT_OF_MEMORY = "out of memory; use fewer dimensions or a smaller hierarchy"


@pytest.mark.parametrize(
    ("place", "error", "arguments", "code", "words", "about"),
    [
        ("hypercone.cli.fit.fit", MemoryError(), FIT, 4, OUT_OF_MEMORY, "Memory runs out"),
        (
            "hypercone.cli.evaluate.load",
            MemoryError(),
            ("evaluate", "m", "--hard"),
            4,
            OUT_OF_MEMORY,
            "Memory runs out",
        ),
        ("os.fsync", FULL, (*FIT, "--quiet"), 4, "new: the disk is full", "The disk is full"),
        ("os.fsync", FULL, ("export", "MODEL", "points.tsv"), 4, "points.tsv: the disk is full", "The disk is full"),
        ("hypercone.cli.fit.fit", KeyboardInterrupt(), FIT, 130, "interrupted; nothing was saved", "Ctrl-C"),
    ],
    ids=["no memory to fit", "no memory to load", "no disk for a model", "no disk for an export", "an interrupt"],
)
def test_a_fault_has_its_exit_code_and_leaves_nothing(
    run, fault_row, model, tmp_path, monkeypatch, place, error, arguments, code, words, about
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, _raising(error))
    done = run(*(str(model) if word == "MODEL" else word for word in arguments))
    assert _is_one_sentence(done, code, words)
    fault_row("fault", _typed(arguments), done, about=about)
    assert os.listdir(tmp_path) == []


def test_an_interrupt_of_the_demo_does_not_wait_for_the_baseline(run, fault_row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    epochs = []

    def pretend(hierarchy, *, split, seed, callback=None, method="hyperbolic-cones"):
        if method == "hyperbolic-cones":
            raise KeyboardInterrupt
        for epoch in range(10**9):
            epochs.append(epoch)
            callback(None)

    monkeypatch.setattr(demo, "fit", pretend)
    done = run("demo", "--source", "tree-2-3")
    assert (done.code, done.err) == (130, "hypercone: interrupted; nothing was saved\n")
    fault_row("fault", "hypercone demo --source tree-2-3", done, about="Ctrl-C")
    assert epochs
    assert os.listdir(tmp_path) == []


def test_unexpected_errors_are_not_reported_as_bad_input(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for error in (ZeroDivisionError("unexpected"), OSError(errno.EIO, "unexpected")):
        monkeypatch.setattr(fit, "fit", _raising(error))
        with pytest.raises(type(error), match="unexpected"):
            run(*FIT)
