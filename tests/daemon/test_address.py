"""The page keeps its name, to which cookies and passkeys belong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.passkeys.authenticator import Authenticator

from dmm.daemon.address import Address, find_address, keep_address
from dmm.passkeys.service import Persons
from dmm.passkeys.webauthn import Place

if TYPE_CHECKING:
    from pathlib import Path


def enrol(folder: Path, name: str) -> None:
    place = Place(name, f"http://{name}:4711")
    persons = Persons(folder, lambda: place)
    persons.codes.take(persons.codes.make(), "browser")
    asked = persons.begin_enrolment("laptop", "browser", None)
    made = Authenticator(place.name, place.origin).create(asked.challenge)
    persons.finish_enrolment("laptop", "browser", *made)


def test_a_lost_address_is_that_of_the_passkeys_again(tmp_path: Path) -> None:
    name = find_address(tmp_path).name
    assert find_address(tmp_path).name == name
    enrol(tmp_path, name)
    (tmp_path / "address.json").unlink()
    assert find_address(tmp_path).name == name


def test_a_name_under_which_no_passkey_works_is_given_up(tmp_path: Path) -> None:
    name = find_address(tmp_path).name
    enrol(tmp_path, name)
    keep_address(tmp_path, Address("dmm-00000000.localhost", 20_001))
    assert find_address(tmp_path) == Address(name, 20_001)


def test_a_broken_record_of_passkeys_stops_no_page(tmp_path: Path) -> None:
    name = find_address(tmp_path).name
    enrol(tmp_path, name)
    (tmp_path / "passkeys.jsonl").write_text("{\n")
    assert find_address(tmp_path).name == name
    (tmp_path / "address.json").unlink()
    assert find_address(tmp_path).name.endswith(".localhost")
