from assistant.web.typescript import FILE, render_typescript


def test_the_committed_types_are_those_of_the_messages() -> None:
    assert FILE.read_text(encoding="utf-8") == render_typescript(), "run `python -m assistant.web.typescript`"


def test_a_delta_holds_only_some_sections_and_of_a_value_only_some_fields() -> None:
    assert "  set: { [Name in keyof View]?: Record<string, Partial<View[Name][string]>> };\n" in render_typescript()


def test_a_page_may_leave_out_what_has_a_default() -> None:
    assert "  action?: string | null;\n" in render_typescript()
    assert "  round_mm: number | null;\n" in render_typescript()
