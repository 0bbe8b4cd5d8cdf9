import json
from pathlib import Path
from typing import Any

import pytest
import shapely
from click.testing import CliRunner

from assistant.cli import overtable
from assistant.errors import BadInput
from assistant.files.documents import check
from assistant.rules.answer_documents import ActionsForm, VerdictForm, ZoneForm
from assistant.rules.books import list_rulebooks
from tests.assistant.cli.command_runner import read_refusal, run_overtable


def build_document() -> dict[str, Any]:
    return {
        "format": "overtable.situation/1",
        "rulebook": "warhammer-40k-10e",
        "table": {"width_mm": 1524, "depth_mm": 1118},
        "units": [
            {
                "id": "scouts",
                "player": "red",
                "profile": {"move_in": 6},
                "models": [{"id": "s1", "base": {"round_mm": 32}, "pose": {"x_mm": 300, "y_mm": 300}}],
            },
            {
                "id": "walker",
                "player": "blue",
                "profile": {"move_in": 10},
                "models": [{"id": "w1", "base": {"oval_mm": [100, 60]}, "pose": {"x_mm": 600, "y_mm": 300}}],
            },
        ],
        "move": {
            "unit": "scouts",
            "action": "advance",
            "rolls": [4],
            "paths": {"s1": [{"x_mm": 300, "y_mm": 300}, {"x_mm": 300, "y_mm": 560.096}]},
        },
    }


@pytest.fixture
def situation(tmp_path: Path) -> Path:
    path = tmp_path / "situation.json"
    path.write_text(json.dumps(build_document()))
    return path


def ask(*words: object) -> str:
    result = CliRunner().invoke(overtable, [str(word) for word in words], catch_exceptions=False, standalone_mode=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_judge_in_words(situation: Path) -> None:
    assert ask("judge", situation).splitlines() == [
        "illegal",
        '  illegal    10e-17  s1 moved 10.24" of 10"',
        "  effect     10e-19  scouts cannot shoot this turn",
        "  effect     10e-19  scouts cannot charge this turn",
    ]


def test_judge_as_json(situation: Path) -> None:
    answer = json.loads(ask("judge", situation, "--json"))
    check(answer, VerdictForm, "verdict")
    assert answer["format"] == "overtable.verdict/1"
    assert answer["rulebook"] == "warhammer-40k-10e"
    assert answer["outcome"] == "illegal"
    (finding,) = answer["findings"]
    assert finding["margin_mm"] == pytest.approx(-6.096)
    assert {key: finding[key] for key in ("rule", "outcome", "subjects", "limit_mm", "sigma_mm", "p_legal")} == {
        "rule": "10e-17",
        "outcome": "illegal",
        "subjects": ["s1"],
        "limit_mm": 254.0,
        "sigma_mm": 0.0,
        "p_legal": 0.0,
    }
    assert finding["witness_mm"] == [[300, 300], [300, 560.096]]
    assert answer["effects"][0] == {"rule": "10e-19", "subjects": ["scouts"], "effect": "cannot-shoot"}
    assert len(json.loads(ask("judge", situation, "--all", "--json"))["findings"]) > 1


def test_zone(situation: Path) -> None:
    answer = json.loads(ask("zone", situation, "--model", "s1", "--action", "advance", "--roll", 4, "--json"))
    check(answer, ZoneForm, "zone")
    assert answer["format"] == "overtable.zone/1"
    assert (answer["model"], answer["action"], answer["limit_mm"], answer["error_mm"]) == ("s1", "advance", 254.0, 0.05)
    assert answer["zone"]["type"] == "MultiPolygon"
    region = shapely.from_geojson(json.dumps(answer["zone"]))
    assert region.is_valid
    assert region.contains(shapely.Point(300, 500))
    assert not region.contains(shapely.Point(300, 560))
    assert not region.contains(shapely.Point(520, 300)), "within engagement range of w1"
    words = ask("zone", situation, "--model", "s1", "--action", "advance", "--roll", 4)
    assert words.startswith("s1 may end advance in ")
    assert "x 46.0 to " in words


def test_zone_of_a_unit_is_that_of_all_its_models(situation: Path) -> None:
    asked = ("zone", situation, "--action", "normal", "--json")
    two = build_document()
    two["units"][0]["models"].append({"id": "s2", "base": {"round_mm": 32}, "pose": {"x_mm": 300, "y_mm": 340}})
    situation.write_text(json.dumps(two))
    whole = json.loads(ask(*asked, "--unit", "scouts"))
    assert (whole["model"], whole["limit_mm"]) == ("scouts", 152.4)
    parts = [json.loads(ask(*asked, "--model", model, "--alone")) for model in ("s1", "s2")]
    regions = [shapely.from_geojson(json.dumps(answer["zone"])) for answer in (whole, *parts)]
    assert shapely.symmetric_difference(regions[0], shapely.union_all(regions[1:])).area < 1e-6


@pytest.mark.parametrize("who", [(), ("--model", "s1", "--unit", "scouts")])
def test_a_zone_is_of_a_model_or_of_a_unit(situation: Path, who: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="^zone: expected either --model or --unit$"):
        ask("zone", situation, "--action", "normal", *who)


def test_zone_of_a_declared_random_move(tmp_path: Path) -> None:
    case = Path(__file__).parents[2] / "cases" / "warhammer-40k-5e" / "5e-14-straight-toward-the-closest.json"
    situation = tmp_path / "situation.json"
    situation.write_text(json.dumps(json.loads(case.read_text())["situation"]))
    asked = ("zone", situation, "--model", "a1", "--action", "random", "--roll", 4, "--json")
    answers = [json.loads(ask(*asked, *intent)) for intent in ((), ("--instead",), ("--instead", "--toward-closest"))]
    assert [answer["limit_mm"] for answer in answers] == [254.0, 101.6, 101.6]
    free, instead, straight = (shapely.from_geojson(json.dumps(answer["zone"])) for answer in answers)
    assert free.area > instead.area > 1000 * straight.area / 20 > 0
    assert straight.distance(shapely.Point(360.96, 381.28)) < 0.05


@pytest.mark.parametrize("name", ["wm-36-ordered-charge-from-afar", "wm-46-ignores-fortified-infantry"])
def test_a_zone_takes_what_a_move_says_and_has_the_limit_of_its_verdict(tmp_path: Path, name: str) -> None:
    case = Path(__file__).parents[2] / "cases" / "warmaster-revolution" / f"{name}.json"
    document = json.loads(case.read_text())["situation"]
    situation, move = tmp_path / "situation.json", document["move"]
    situation.write_text(json.dumps(document))
    model = next(iter(move["paths"]))
    asked = ("zone", situation, "--model", model, "--action", move["action"], "--facing", "keep", "--alone", "--json")
    said = ["--toward", move["toward"]]
    without = json.loads(ask(*asked, *said))
    said += ["--ordered"] if move.get("ordered") else []
    said += [word for unit in move.get("ignores", ()) for word in ("--ignores", unit)]
    answer = json.loads(ask(*asked, *said))
    assert answer["zone"]["coordinates"]
    assert not without["zone"]["coordinates"], "what is left unsaid matters"
    limits = {
        finding["limit_mm"]
        for finding in json.loads(ask("judge", situation, "--all", "--json"))["findings"]
        if finding["rule"] == "wm-14"
    }
    assert limits == {answer["limit_mm"]}


def test_a_zone_has_an_option_for_every_field_of_a_move() -> None:
    told = ask("zone", "--help")
    for key in (key for book in list_rulebooks() for key in book.intent):
        assert f"--{key.name.replace('_', '-')} " in told


def test_zone_once_the_tests_have_cost_models(situation: Path) -> None:
    document = build_document()
    document["units"][0]["models"].append({"id": "s2", "base": {"round_mm": 32}, "pose": {"x_mm": 300, "y_mm": 400}})
    document["units"][1]["models"][0]["pose"]["x_mm"] = 370
    situation.write_text(json.dumps(document))
    asked = ("zone", situation, "--model", "s1", "--action", "fall-back", "--json")
    taken, free = (json.loads(ask(*asked, *lost)) for lost in ((), ("--lost", "s2", "--roll", 1)))
    regions = [shapely.from_geojson(json.dumps(answer["zone"])) for answer in (taken, free)]
    assert [region.contains(shapely.Point(300, 400)) for region in regions] == [False, True]
    with pytest.raises(BadInput, match=r'lost\[0\]: expected a model of "scouts", once, not "w1"$'):
        ask(*asked, "--lost", "w1")


def test_zone_of_a_base_that_is_not_round(situation: Path) -> None:
    asked = ("zone", situation, "--model", "w1", "--action", "normal", "--alone", "--json")
    keep, turned = (json.loads(ask(*asked, *facing)) for facing in (("--facing", "keep"), ()))
    assert keep["error_mm"] == 0.05
    assert 0.05 < turned["error_mm"] < 1
    regions = [shapely.from_geojson(json.dumps(answer["zone"])) for answer in (keep, turned)]
    assert regions[1].area > regions[0].area > 0
    assert shapely.difference(regions[0], regions[1]).area < 1e-6


def test_actions(situation: Path) -> None:
    answer = json.loads(ask("actions", situation, "--unit", "scouts", "--json"))
    check(answer, ActionsForm, "actions")
    assert (answer["format"], answer["unit"]) == ("overtable.actions/1", "scouts")
    by_name = {option["action"]: option for option in answer["actions"]}
    assert list(by_name)[:4] == ["remain-stationary", "normal", "advance", "fall-back"]
    assert by_name["normal"]["allowed"]
    assert by_name["normal"]["limit_mm"] == pytest.approx(152.4)
    alone = "scouts is not within engagement range of an enemy and cannot fall back"
    assert by_name["fall-back"]["because"] == [{"rule": "10e-03", "text": alone}]
    words = ask("actions", situation, "--unit", "scouts")
    assert "normal               yes, up to 152.4 mm" in words
    assert f"10e-03  {alone}" in words


def test_rulebooks() -> None:
    answer = json.loads(ask("rulebooks", "--json"))
    assert [book["id"] for book in answer["rulebooks"]] == [book.id for book in list_rulebooks()]
    book = next(book for book in answer["rulebooks"] if book["id"] == "warhammer-40k-10e")
    coverage = {rule["id"]: rule["coverage"] for rule in book["rules"]}
    assert coverage["10e-16"] == "judged"
    assert coverage["10e-19"] == "reported"
    assert coverage["10e-43"] == "not covered"
    words = ask("rulebooks")
    assert "warhammer-40k-10e: Warhammer 40,000" in words
    assert "engagement_in: engagement range, horizontal, inches (default 1.0)" in words


@pytest.mark.parametrize("name", ["actions", "lens", "poses", "setup", "situation", "verdict", "zone"])
def test_schema(name: str) -> None:
    schema = json.loads(ask("schema", name))
    assert schema["properties"]["format"]["const"] == f"overtable.{name}/1"
    assert schema["type"] == "object"


def test_bad_input_names_the_file(situation: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no.json: there is no such file$"):
        ask("judge", tmp_path / "no.json")
    with pytest.raises(BadInput, match=r"situation.json: roll: advance takes 1 die, not 0$"):
        ask("zone", situation, "--model", "s1", "--action", "advance")
    with pytest.raises(BadInput, match=r"situation.json: unit: there is no unit 'x' in this situation$"):
        ask("actions", situation, "--unit", "x")
    with pytest.raises(BadInput, match=r"situation.json: intent.charge: this field of a move is not known"):
        ask("zone", situation, "--model", "s1", "--action", "normal", "--charge")
    with pytest.raises(
        BadInput,
        match=r"^schema: there is no format 'x'; expected one of actions, .*doctor, .*zone$",
    ):
        ask("schema", "x")
    situation.write_text(json.dumps({**build_document(), "units": [], "move": None, "parameters": {"x": 1}}))
    with pytest.raises(BadInput, match=r"situation.json: parameters.x: this parameter is not known"):
        ask("judge", situation)


FILES = {
    "of no text": (b"\xff\xfe\x00", "this is not a text file; expected JSON in UTF-8"),
    "empty": (b"", "this is not whole JSON"),
    "of a key twice": (b'{"format": 1, "format": 2}', 'the key "format" stands twice in one object'),
    "of a number of 10,000 digits": (b'{"format": ' + b"9" * 10_000 + b"}", "a number of 10000 digits stands in it"),
    "nested 100,000 deep": (b"[" * 100_000, "lists and objects are nested too deep in it"),
    "too large": (b" " * 32_000_001, "this file is too large; expected JSON of at most 32000000 characters"),
}


@pytest.mark.parametrize(("content", "sentence"), FILES.values(), ids=FILES)
def test_a_file_that_is_no_situation_is_refused_in_one_line(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "situation.json"
    path.write_bytes(content)
    line = read_refusal(run_overtable("judge", path))
    assert str(path) in line
    assert sentence in line


def test_a_file_may_begin_with_a_byte_order_mark_and_may_not_be_a_folder(situation: Path, tmp_path: Path) -> None:
    situation.write_bytes(b"\xef\xbb\xbf" + situation.read_bytes())
    assert run_overtable("judge", situation).status == 0
    assert "cannot be read" in read_refusal(run_overtable("zone", tmp_path, "--unit", "scouts", "--action", "normal"))
