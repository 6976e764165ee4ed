"""Answers are described in the document, and for nobody before."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.http.documented import Documented, Route, make_router


@dataclass(frozen=True)
class Weather:
    degrees: int


def test_answers_are_described_when_the_document_is_asked_for() -> None:
    router = make_router(prefix="/v1", tags=["weather"])
    router.add_api_route("/weather", lambda: None, responses={200: {"model": Weather}})
    app = Documented(title="Weather", version="1")
    app.router.routes.extend(router.routes)

    route = next(one for one in app.routes if isinstance(one, Route))
    assert (route.path, route.tags, route.response_fields) == ("/v1/weather", ["weather"], {})

    document = app.openapi()
    assert document is app.openapi()
    answer = document["paths"]["/v1/weather"]["get"]["responses"]["200"]  # type: ignore[index]
    assert answer["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Weather"
    }
    assert "degrees" in document["components"]["schemas"]["Weather"]["properties"]  # type: ignore[index]
