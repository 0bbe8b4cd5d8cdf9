"""Where a page gets a small part of the camera's picture, pixel by pixel."""

from collections.abc import Callable
from typing import Annotated

from fastapi import FastAPI, Query, Response
from fastapi.responses import PlainTextResponse

Crop = Callable[[int, int], bytes | None]
"""Returns what lies about a pixel as an encoded picture, or None while there is none; called in a worker thread."""
Pixel = Annotated[int, Query(ge=0, le=100_000)]


def add_crop(app: FastAPI, crop: Crop) -> None:
    """Serve ``/crop.jpg?x=...&y=...``, in pixels of the camera's own picture."""

    @app.get("/crop.jpg")
    def cropped(x: Pixel, y: Pixel) -> Response:
        image = crop(x, y)
        if image is None:
            return PlainTextResponse("The camera has not delivered a picture yet.", status_code=503)
        return Response(image, media_type="image/jpeg")
