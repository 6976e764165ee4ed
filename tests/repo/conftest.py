"""Real Git repositories, made anew for every test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.conftest import git

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Repository:
    folder: Path

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def write(self, path: str, text: str) -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        return target

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "project"
    folder.mkdir()
    made = Repository(folder)
    made.git("init", "--quiet")
    return made


SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": """\"\"\"What a customer is about to buy.\"\"\"

from shop.money import round_price


class Cart:
    def __init__(self):
        self.lines = []

    def total(self):
        return round_price(sum(line.price for line in self.lines))
""",
    "shop/money.py": """\"\"\"Amounts of money.\"\"\"

CENTS = 100


def round_price(amount):
    \"\"\"Round an amount to whole cents.\"\"\"
    return int(amount * CENTS) / CENTS
""",
    "shop/mail.py": """\"\"\"Letters to customers.\"\"\"


def send_invoice(customer):
    return f"Dear {customer}"
""",
    "tests/test_cart.py": """from shop.cart import Cart


def test_the_total_of_an_empty_cart_is_nothing():
    assert Cart().total() == 0
""",
    "README.md": "# Shop\n\nA small shop with a cart and invoices.\n",
}


@pytest.fixture
def shop(repository: Repository) -> Repository:
    for path, text in SHOP.items():
        repository.write(path, text)
    repository.commit("Begin the shop")
    return repository
