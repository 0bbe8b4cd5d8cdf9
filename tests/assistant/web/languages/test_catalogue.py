from pathlib import Path

import pytest

from assistant.web.languages.catalogue import LANGUAGES, choose_language, list_texts, translate_document


@pytest.mark.parametrize(
    ("accepted", "cookie", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "", "de"),
        ("en;q=0.5, fr;q=0.8", "", "fr"),
        ("it, es;q=0.9", "", "en"),
        ("en; q=0.5, fr; q=0.8", "", "fr"),
        ("de", "odd{name}=1; overtable-language=fr", "fr"),
        ("de;q=0, fr", "", "fr"),
        ("de;q=many", "", "en"),
        ("de", "other=1; overtable-language=fr", "fr"),
        ("de", "overtable-language=en", "en"),
        ("de", "overtable-language=../x", "de"),
        ("", "", "en"),
    ],
)
def test_a_device_gets_what_was_chosen_on_it_or_its_browser_prefers(accepted: str, cookie: str, language: str) -> None:
    assert choose_language({"accept-language": accepted, "cookie": cookie}) == language


def test_there_are_catalogues() -> None:
    assert {"en", "de", "fr"} <= set(LANGUAGES)


def test_what_a_document_says_is_found_and_said_in_another_language(tmp_path: Path) -> None:
    document = '<html lang="en"><p title="Note">\n  Not\n legal </p><img alt="overtable" /><i>Unknown &amp; so</i>'
    assert list_texts(document) == ["Note", "Not legal", "Unknown & so"]
    file = tmp_path / "page.html"
    file.write_text(document)
    assert translate_document(file, "de") == (
        '<html lang="de"><p title="Hinweis">\n  Unzulässig </p><img alt="overtable" /><i>Unknown &amp; so</i>'
    )
