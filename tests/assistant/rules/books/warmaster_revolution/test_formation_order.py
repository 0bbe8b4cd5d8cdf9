"""Orders by the best links, against every permutation."""

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from assistant.rules.books.warmaster_revolution.formation import Link, Worth, find_best_order

GRADES = st.sampled_from((0, 0, 0, 1, 3))


@st.composite
def draw_graphs(draw: st.DrawFn) -> tuple[int, dict[Link, Worth]]:
    count = draw(st.integers(1, 6))
    pairs = list(permutations(range(count), 2))
    return count, {pair: (draw(GRADES), float(draw(st.integers(-9, 9)))) for pair in pairs}


def find_lowest_grade(order: tuple[int, ...], links: dict[Link, Worth]) -> int:
    return min((links[link][0] for link in pairwise(order)), default=0)


@given(draw_graphs())
def test_the_lowest_grade_is_as_high_as_in_any_order(graph: tuple[int, dict[Link, Worth]]) -> None:
    count, links = graph
    found = find_best_order(count, links)
    assert sorted(found) == list(range(count))
    assert find_lowest_grade(found, links) == max(
        find_lowest_grade(order, links) for order in permutations(range(count))
    )


def test_the_best_links_that_lead_nowhere_are_given_up() -> None:
    # 0 to 1 is the best link, but only 1, 0, 2 joins all three.
    links = dict.fromkeys(permutations(range(3), 2), (0, 0.0))
    links |= {(0, 1): (3, 1.0), (1, 0): (3, 0.5), (0, 2): (3, 0.2)}
    assert find_best_order(3, links) == (1, 0, 2)


def test_what_cannot_be_joined_keeps_its_best_links() -> None:
    links = dict.fromkeys(permutations(range(4), 2), (0, -100.0))
    links |= {(2, 3): (3, 0.0), (0, 1): (3, 0.0), (1, 2): (0, -5.0)}
    assert find_best_order(4, links) == (0, 1, 2, 3)


def test_nothing_has_no_order() -> None:
    assert find_best_order(0, {}) == ()
