"""Every language says the same as Python of every message, and compiles without a warning."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from acpgen.targets.retry import rows
from acpgen.targets.retry.decision import MAX_CARRIED
from acpgen.targets.retry.derivation import message_id
from acpgen.targets.vectors import derived
from language_subjects import GOLDEN, SUBJECTS, Subject, expected, messages
from language_tools import LANGUAGES, Language, drivers, once, records, require, run, write
from proofs import a_few

SPOILT = Subject(replace(GOLDEN, version=8), messages(GOLDEN))
"""A subject whose table is spoilt, to see that it is noticed."""


def quickest(names: Iterable[str]) -> list[ParameterSet]:
    """Return names of languages; `make test` compiles TypeScript only."""
    found = list(names)
    return a_few(found, {"typescript"} & {*found}, "compiles for long")


WITH_LONE_SURROGATES = quickest(each.name for each in LANGUAGES.values() if each.lone_surrogates)
WITH_WARNINGS = quickest(each.name for each in LANGUAGES.values() if each.with_a_warning)
WITH_A_LAYOUT = quickest(each.name for each in LANGUAGES.values() if each.badly_laid_out)


@pytest.fixture(scope="module", params=quickest(LANGUAGES))
def language(request: pytest.FixtureRequest) -> Language:
    found = LANGUAGES[request.param]
    require(found.name, *found.needs)
    return found


@pytest.fixture(scope="module")
def built(language: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled tables of all subjects and their drivers."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return once(shared / language.name, lambda folder: build(language, folder))


def build(language: Language, folder: Path) -> None:
    subjects = (*SUBJECTS.values(), SPOILT)
    files = write(language, folder, (subject.protocol for subject in subjects))
    table = files[-1].read_text("utf-8")
    spoilt = table.replace(f" = {MAX_CARRIED}", f" = {MAX_CARRIED - 1}")
    assert spoilt != table
    files[-1].write_text(spoilt, "utf-8")
    versions = (subject.version for subject in subjects)
    language.compile(folder, files, drivers(language, folder, versions))


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest) -> Subject:
    return SUBJECTS[request.param]


def reported(language: Language, folder: Path, subject: Subject) -> list[list[str]]:
    """What is said of the messages of a subject, without its table."""
    return records(language, folder, subject)[len(rows(subject.protocol)) :]


def unlike(
    subject: Subject, found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]
) -> list[Any]:
    """The messages of which something else is reported, with both."""
    triples = zip(subject.messages, found, wanted, strict=True)
    return [triple for triple in triples if list(triple[1]) != list(triple[2])]


def test_it_says_what_python_says(language: Language, built: Path, subject: Subject) -> None:
    table, wanted = expected(subject)
    found = records(language, built, subject)
    assert found[: len(table)] == table
    assert unlike(subject, found[len(table) :], wanted) == []


def test_a_spoilt_table_is_noticed(language: Language, built: Path) -> None:
    _, wanted = expected(SPOILT)
    wrong = unlike(SPOILT, reported(language, built, SPOILT), wanted)
    names = {message["name"].rpartition(": ")[2] for message, _, _ in wrong}
    assert names == {f"{MAX_CARRIED} deep"}
    assert {(found[1], right[1]) for _, found, right in wrong} == {
        ("carried-too-deep", "idempotent")
    }


@pytest.mark.parametrize("language", WITH_LONE_SURROGATES, indirect=True)
def test_a_key_without_a_utf_8_form_is_malformed(language: Language, built: Path) -> None:
    keys = ["\ud800", "\udc00\ud800", "key \ud83d", "\ude00\U0001f600"]
    tried: list[dict[str, Any]] = [{"idempotencyKey": key} for key in ("\U0001f600", *keys)]
    asked = [{"method": "session/prompt", "kind": None, "params": params} for params in tried]
    if language.lone_surrogates == "bytes":
        # JSON can't write what is not UTF-8 there, so the bytes (of Base64) come separately.
        asked = [asked[0], {**asked[0], "bytes": {"idempotencyKey": "a4D/"}}]
    subject = replace(SUBJECTS["real"], messages=tuple(asked))
    first, *others = reported(language, built, subject)
    assert first[1] == "keyed-with-key"
    assert {other[1] for other in others} == {"malformed-key"}


@pytest.mark.parametrize("language", quickest(["rust"]), indirect=True)
def test_params_that_are_not_an_object_are_malformed_where_a_type_allows_them(
    language: Language, built: Path
) -> None:
    methods = ("session/prompt", "proxy/successor", "session/list")
    asked: list[dict[str, Any]] = [{"method": m, "kind": None, "params": []} for m in methods]
    subject = replace(SUBJECTS["real"], messages=tuple(asked))
    reasons = [record[1] for record in reported(language, built, subject)]
    assert reasons == ["malformed-params", "malformed-params", "idempotent"]


def ids(language: Language, folder: Path, pairs: Sequence[dict[str, Any]]) -> list[str]:
    """The message IDs that a language derives, empty where it refuses to."""
    subject = replace(SUBJECTS["real"], messages=())
    reported = records(language, folder, subject, pairs)[len(rows(subject.protocol)) :]
    return [id_ for (id_,) in reported]


def test_it_derives_the_message_ids_of_the_vectors(language: Language, built: Path) -> None:
    vectors = json.loads(derived(SUBJECTS["real"].protocol)["vectors/derived.json"])["vectors"]
    assert len(vectors) > 25
    assert ids(language, built, vectors) == [vector["messageId"] for vector in vectors]


def test_it_derives_message_ids_from_texts_of_any_length(language: Language, built: Path) -> None:
    """Wherever the padding of SHA-1 starts, and whatever the bits are."""
    chance = random.Random(5)
    pairs = [
        {"sessionId": "s" * length, "key": "".join(chance.choices("a\u00e9\u6f22\U0001f511", k=9))}
        for length in (*range(150), 200_000)
    ]
    wanted = [str(message_id(pair["sessionId"], pair["key"])) for pair in pairs]
    assert ids(language, built, pairs) == wanted


@pytest.mark.parametrize("language", WITH_LONE_SURROGATES, indirect=True)
def test_no_message_id_is_derived_from_what_has_no_utf_8_form(
    language: Language, built: Path
) -> None:
    pairs: list[dict[str, Any]] = [
        {"sessionId": "s", "key": "k"},
        {"sessionId": "\ud800", "key": "k"},
        {"sessionId": "s", "key": "\udfff"},
        {"sessionId": "s", "key": "\ude00\ud83d"},
    ]
    if language.lone_surrogates == "bytes":
        pairs = [pairs[0], {**pairs[0], "bytes": "4A=="}]
    first, *others = ids(language, built, pairs)
    assert first == "5b58193d-12f1-580d-a7e0-0f17204c61b8"
    assert set(others) == {""}


def test_the_words_stay_on_one_line(language: Language, built: Path) -> None:
    message = {"method": "two\nlines\x1b[0m\x85", "kind": None, "params": None}
    subject = replace(SUBJECTS["real"], messages=(message,))
    ((answer, reason, decided, _, why),) = reported(language, built, subject)
    assert (answer, reason, decided) == ("not_at_all", "unknown-method", "")
    assert why.startswith("two\ufffdlines\ufffd[0m\ufffd is not a method")


@pytest.mark.parametrize("name", WITH_WARNINGS)
def test_a_warning_is_an_error(name: str, tmp_path: Path) -> None:
    language = LANGUAGES[name]
    require(language.name, *language.needs)
    assert language.with_a_warning is not None
    file, text = language.with_a_warning
    (tmp_path / file).write_text(text)
    with pytest.raises(AssertionError, match=r"(?i)odd(.|\n)*(unused|unreachable|raw)"):
        language.compile(tmp_path, [tmp_path / file], [])


@pytest.mark.parametrize("name", WITH_A_LAYOUT)
def test_it_is_laid_out_as_its_formatter_does(name: str, tmp_path: Path) -> None:
    language = LANGUAGES[name]
    require(language.name, *language.needs)
    subjects = (SUBJECTS[each] for each in ("real", "invented", "unlimited"))
    files = write(language, tmp_path, (subject.protocol for subject in subjects))
    assert run([*language.layout, *files], tmp_path) == ""


@pytest.mark.parametrize("name", WITH_A_LAYOUT)
def test_another_layout_is_noticed(name: str, tmp_path: Path) -> None:
    language = LANGUAGES[name]
    require(language.name, *language.needs)
    assert language.badly_laid_out is not None
    file, text = language.badly_laid_out
    (tmp_path / file).write_text(text)
    with pytest.raises(AssertionError, match="odd"):
        assert run([*language.layout, file], tmp_path) == ""
