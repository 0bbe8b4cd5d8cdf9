"""A film of a game is played by a browser."""

import base64
from pathlib import Path

from playwright.sync_api import Page

from assistant.replay.exports.film import write_film
from tests.assistant.replay.sample_recording import play_sample_game

PLAY = """(film) => new Promise((done) => {
    const video = document.createElement("video");
    video.muted = true;
    video.playbackRate = 16;
    video.onended = () => done([video.videoWidth, video.videoHeight, Math.round(video.currentTime)]);
    video.onerror = () => done(video.error.message);
    video.src = `data:video/webm;base64,${film}`;
    video.play();
})"""


def test_a_browser_plays_a_film_from_its_beginning_to_its_end(page: Page, tmp_path: Path) -> None:
    play_sample_game(tmp_path / "game.overtable")
    out = tmp_path / "game.webm"
    lasts_s = write_film(tmp_path / "game.overtable", out, size=(320, 240), speed=20, progress=lambda _: None)
    played = page.evaluate(PLAY, base64.b64encode(out.read_bytes()).decode())
    assert played == [320, 240, round(lasts_s)]
