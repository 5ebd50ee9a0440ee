"""Pages: what is put in comes out escaped and set, and a mistake in a template does not pass."""

import pytest
from jinja2 import UndefinedError

from banditq.page import render


@pytest.fixture
def page(tmp_path):
    def make(content, **context):
        template = tmp_path / "t.html"
        body = "{% block title %}T{% endblock %}{% block content %}" + content + "{% endblock %}"
        template.write_text('{% extends "base.html" %}' + body, encoding="utf-8")
        return render(template, **context)

    return make


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("T^0.75", "T<sup>0.75</sup>"),
        ("T^¾, and then", "T<sup>¾</sup>, and then"),
        ("10^-3.", "10<sup>−3</sup>."),
        ("-5 to -2.5", "−5 to −2.5"),
        ("fig7-lead and 3-4", "fig7-lead and 3-4"),
        ("at N = 1 000 of T = 5", "at N\u00a0=\u00a01\u202f000 of T\u00a0=\u00a05"),
        ("a < b & c", "a &lt; b &amp; c"),
    ],
)
def test_typesetting(page, text, shown):
    assert f"<p>{shown}</p>" in page("<p>{{ text | typeset }}</p>", text=text)


def test_text_is_escaped(page):
    assert "&lt;script&gt;" in page("{{ text }}", text="<script>")


def test_what_is_missing_is_an_error_and_not_a_blank(page):
    with pytest.raises(UndefinedError):
        page("{{ nothing }}")


def test_light_and_dark_and_paper(page):
    made = page("")
    for wanted in ("prefers-color-scheme: dark", "@media print", 'name="viewport"'):
        assert wanted in made
