"""The first note with room takes a crumb in, as if all were asked one after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.importer.hosts import Hosts, Seat

ROOM = 20
seats = st.builds(Seat, st.sampled_from("ab"), st.sampled_from([(), ("x",)]))
entries = st.lists(
    st.tuples(st.sampled_from("st"), seats, st.integers(1, 12), st.booleans()), max_size=12
)


@given(entries, st.booleans())
def test_a_crumb_goes_where_asking_everybody_would_lead_it(
    entries: list[tuple[str, Seat, int, bool]], in_branch: bool
) -> None:
    sizes = [size for _, _, size, _ in entries]
    gone: set[int] = set()

    def room(number: int) -> int:
        return -1 if number in gone else ROOM - sizes[number]

    def ask_all(at: int) -> int | None:
        about, seat, need, _ = entries[at]
        for number, (other, place, _, crumb) in enumerate(entries):
            apart = place.path != seat.path or (in_branch and place == seat)
            later = crumb and number >= at
            if other == about and apart and not later and room(number) >= need and number != at:
                return number
        return None

    hosts = Hosts(room)
    for number, (about, seat, _, crumb) in enumerate(entries):
        hosts.put(number, about, seat, is_crumb=crumb)
    for at, (about, seat, need, crumb) in enumerate(entries):
        if crumb and at not in gone:
            wanted = ask_all(at)
            assert hosts.find(about, seat, need, at, in_branch=in_branch) == wanted
            if wanted is not None:
                sizes[wanted] += need
                gone.add(at)
