"""The palettes as pages get them; they never change."""

from assistant.overlay.palette import PALETTE, PALETTES, Paint
from assistant.web.messages.table import PaintView, PaletteView


def _paint(paint: Paint) -> PaintView:
    return PaintView(
        stroke=paint.stroke,
        fill=paint.fill,
        width_mm=paint.width_mm,
        dash_mm=list(paint.dash_mm),
        hatch=paint.hatch,
    )


PAINTS = {name: _paint(paint) for name, paint in PALETTE.items()}
"""The paints of a page that has chosen none."""
CHOICES = {
    name: PaletteView(label=palette.label, paints={style: _paint(paint) for style, paint in palette.paints.items()})
    for name, palette in PALETTES.items()
    if palette.paints is not PALETTE
}
"""What it may choose instead."""
