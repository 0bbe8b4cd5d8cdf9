import json
from typing import Any, get_args

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from pydantic import TypeAdapter

from assistant.web.app import PAGES, create_app
from assistant.web.auth.roles import (
    JOINED,
    OPEN,
    ROUTES,
    SECTIONS,
    describe_refusal,
    find_allowed_roles,
    find_path_roles,
)
from assistant.web.commands import ENTRIES, REGISTRY, FromPage
from assistant.web.commands.calibration import ProjectorPage
from assistant.web.commands.game import Rule
from assistant.web.commands.registry import HOST
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.message import Role
from tests.assistant.web.test_hub import receive_messages, run_on_page_as

ROLES: tuple[Role, ...] = get_args(Role)
SAMPLES: dict[str, dict[str, Any]] = {
    "declare": {"unit": "scouts"},
    "rule": {"outcome": "legal"},
    "bumped": {"models": ["s1"]},
    "put-back": {"models": ["s1"]},
    "swapped": {"models": ["s1", "s2"]},
    "remove": {"models": ["s1"]},
    "rule-past": {"at_ns": 0, "outcome": "legal", "note": "so"},
    "unrule-past": {"ruling": 1},
    "hall-round": {"action": "start"},
    "hall-extend": {"table": "7", "minutes": 5},
    "hall-claim": {"call": "7:summons:1", "claimed": True},
    "hall-answer": {"call": "7:summons:1"},
    "hall-rule": {"call": "7:summons:1", "outcome": "legal", "note": "so"},
    "hall-result": {"table": "7", "scores": [20, 0]},
    "hall-air": {"table": "7"},
    "setup-hall": {"name": "7.json", "data": "e30="},
    "layout-open": {"layout": ""},
    "layout-move": {"piece": "ruin", "dx_mm": 5},
    "layout-add": {"template": "ruin", "x_mm": 5, "y_mm": 5},
    "layout-draw": {"outline_mm": [[0, 0], [50, 0], [0, 50]]},
    "layout-marker": {"x_mm": 5, "y_mm": 5},
    "layout-copy": {"piece": "ruin"},
    "layout-remove": {"piece": "ruin"},
    "layout-change": {"piece": "ruin", "height_mm": 50},
    "layout-symmetry": {"symmetry": "none"},
    "layout-undo": {},
    "layout-redo": {},
    "layout-save": {"title": "Mine"},
    "layout-close": {},
    "move-terrain": {"piece": "ruin", "dx_mm": 5},
    "score": {"player": "red", "points": 5},
    "call-judge": {"needed": True},
    "show-call": {"rule": "10e-15", "subjects": ["s1"]},
    "lay-begin": {},
    "take-terrain": {"piece": "hill"},
    "lay-mark": {"step": "ruin", "kind": "tag", "id": 540, "size_mm": 24, "height_mm": 5},
    "lay-learn": {"step": "ruin"},
    "lay-tick": {"step": "ruin", "lies": True},
    "lay-end": {},
    "status": {"unit": "scouts", "status": []},
    "rounds": {"rounds": 6},
    "allow-measuring": {"allowed": True},
    "measure": {"ends": [{"kind": "model", "id": "s1"}, {"kind": "point", "x_mm": 1, "y_mm": 2}]},
    "show-threat": {"unit": "scouts"},
    "speed": {"speed": 2},
    "seek": {"at_ns": 0},
    "drag": {"model": "s1", "x_mm": 1, "y_mm": 2, "facing_deg": 3, "done": True},
    "enrol": {"model": "s1", "way": "sheet"},
    "enrol-tray": {"way": "halo"},
    "enrol-give": {"marker": 17, "model": "s1"},
    "lens-begin": {"board": "printed"},
    "projector-page": {"width_px": 800, "height_px": 600},
    "armies-rulebook": {"rulebook": "warhammer-40k-10e"},
    "armies-leave": {"force": "1"},
    "armies-paste": {"force": "1", "text": "5 Scouts 32mm"},
    "armies-part": {"force": "1"},
    "armies-edit": {"force": "1", "row": 1, "field": "count", "value": "5"},
    "armies-agree": {"force": "1", "row": 1},
    "armies-add": {"force": "1"},
    "armies-drop": {"force": "1", "row": 1},
    "armies-file": {"force": "1", "name": "red.txt", "data": "NSBTY291dHMgMzJtbQ=="},
    "optics-turn": {"what": "focus"},
    "setup-go-on": {"recording": "sunday.overtable"},
    "setup-enter": {"values": {"width": "60"}},
}
"""What a command cannot do without, by its type."""
SAYS_NO = {
    "player": "This can be done only on the machine that runs the table.",
    "judge": "This is for the players: ask the host for the player's code.",
}


def list_commands() -> list[type[Any]]:
    return list(REGISTRY)


def build_sample(kind: type[Any]) -> dict[str, Any]:
    name: str = kind.model_fields["type"].annotation.__args__[0]
    return {"type": name, **SAMPLES.get(name, {})}


def test_every_command_is_entered_once() -> None:
    assert len(REGISTRY) == len(ENTRIES) > 50


def test_the_host_may_do_everything_and_a_viewer_nothing() -> None:
    for entry in ENTRIES:
        assert "host" in entry.roles
        assert "viewer" not in entry.roles


def test_calibration_is_nobody_elses() -> None:
    for entry in ENTRIES:
        if entry.feature in {"lens", "projector", "camera"} and entry.command is not ProjectorPage:
            assert entry.roles == HOST
        if entry.feature == "enrolment":
            assert "judge" not in entry.roles


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gives_what_it_may_and_is_refused_the_rest_in_a_sentence(role: Role) -> None:
    async def script(hub: Hub, client: Any) -> None:
        await receive_messages(hub, client)
        for kind in list_commands():
            hub.receive(client, json.dumps(build_sample(kind)))
            taken = hub.take()
            if role in REGISTRY[kind].roles:
                (order,) = taken
                assert (type(order.message), order.role) == (kind, role)
            else:
                assert taken == []
                (refused,) = await receive_messages(hub, client)
                assert refused["type"] == "refused"
                assert refused["text"] == describe_refusal(role, REGISTRY[kind].roles)
                assert refused["text"].endswith(".")

    run_on_page_as(role, script)


def test_a_judges_ruling_is_no_players() -> None:
    agreed = Rule(type="rule", outcome="legal")
    assert "player" in find_allowed_roles(agreed)
    judged = agreed.model_copy(update={"by": "judge"})
    assert find_allowed_roles(judged) == {"host", "judge"}
    assert (
        describe_refusal("player", find_allowed_roles(judged))
        == "This is for a judge: ask the host for the judge's code."
    )


def test_a_command_that_nobody_listed_is_the_hosts() -> None:
    class Sing(Rule):
        """Not in the table."""

    assert find_allowed_roles(Sing(type="rule", outcome="legal")) == HOST


@pytest.mark.parametrize("role", ROLES)
def test_a_page_is_told_who_it_is_and_a_delta_does_not_forget_it(role: Role) -> None:
    async def script(hub: Hub, client: Any) -> None:
        (full,) = await receive_messages(hub, client)
        assert full["view"]["you"] == {"you": {"role": role}}
        hub.receive(client, '{"type": "resync"}')
        (again,) = await receive_messages(hub, client)
        assert again["view"]["you"] == {"you": {"role": role}}

    run_on_page_as(role, script)


def test_every_route_of_the_application_is_listed() -> None:
    app = create_app(hub=Hub(), picture=lambda: None, join_urls=[])
    paths = [route.path for route in app.routes if isinstance(route, APIRoute | APIWebSocketRoute)]
    assert len(paths) > len(PAGES)
    for path in paths:
        listed = any(path == known or path.startswith((f"{known}/", f"{known}.")) for known in (*OPEN, *ROUTES))
        assert listed, f"say in web/roles.py who may open {path}"


@pytest.mark.parametrize(
    ("path", "roles"),
    [
        ("/tablet", set(ROLES)),
        ("/ws", set(ROLES)),
        ("/past/view.json", set(ROLES)),
        ("/report.pdf", set(ROLES)),
        ("/projector", {"host", "judge", "player"}),
        ("/enrol", {"host", "player"}),
        ("/setup", {"host"}),
        ("/codes.json", {"host"}),
        ("/codes/player/renew", {"host"}),
        ("/tabletop", {"host"}),
        ("/tablet/../codes.json", set(ROLES)),  # which no route answers
        ("//tablet", {"host"}),
        ("", {"host"}),
        ("/join", None),
        ("/static/join/join.js", None),
        ("/joined", {"host"}),
    ],
)
def test_who_may_open_what(path: str, roles: set[Role] | None) -> None:
    assert find_path_roles(path) == roles


def test_each_code_is_for_another_role() -> None:
    assert set(JOINED) == set(ROLES) - {"host"}


def test_samples_are_what_pages_send() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(FromPage)
    assert [type(adapter.validate_python(build_sample(kind))) for kind in list_commands()] == list_commands()


def test_sections_that_not_everybody_sees_are_of_the_view() -> None:
    assert set(SECTIONS) <= set(View.model_fields)
