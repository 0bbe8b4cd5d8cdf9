"""The guide in a browser: a reader finds a word, and the way from the pages of the table."""

import re

from playwright.sync_api import Page, expect


def test_a_word_is_searched_and_leads_to_where_it_is_told(phone: Page, address: str) -> None:
    phone.goto(f"{address}/help")
    phone.get_by_role("link", name="Contents").click()
    phone.get_by_label("Search the guide").fill("nineteen TWENTY")
    hit = phone.locator("#hits a")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text("nineteen of twenty")
    expect(phone.locator("#groups")).to_be_hidden()
    phone.get_by_label("Search the guide").fill("xylophone")
    expect(phone.locator("#hits")).to_have_text("Nothing in the guide has all of these words.")
    phone.get_by_label("Search the guide").fill("")
    expect(phone.locator("#groups")).to_be_visible()
    phone.get_by_label("Search the guide").fill("nineteen of")
    hit.click()
    expect(phone).to_have_url(re.compile("/help/guide/judging#what-sigma-means$"))
    expect(phone.get_by_role("heading", name="What sigma means")).to_be_in_viewport()


def test_who_cannot_join_is_helped(phone: Page, address: str) -> None:
    phone.goto(f"{address}/join")
    phone.get_by_role("link", name="Trouble joining?").click()
    expect(phone.get_by_role("heading", name="Tablets and the network")).to_be_in_viewport()
