"""Stills: what is told of bases that one picture does not place."""

import dataclasses

from tests.vision.test_pipeline import watch_table
from vision.stills import FEW_ANCHORS, locate_bases_in_image
from vision.types import Hindrance


def test_a_marker_is_blamed_only_where_enough_anchors_hold_the_camera() -> None:
    watched = watch_table()
    image, markers = watched.camera.read().image, watched.pipeline.markers
    watched.camera.close()
    bases = {1: dataclasses.replace(markers.tagged_bases[1], size_mm=30.0)}  # it is 20 mm large
    markers = dataclasses.replace(markers, bases=bases)
    assert locate_bases_in_image(markers, image, 0).hindered == {1: Hindrance.OTHER_SIZE}
    few = dataclasses.replace(markers, anchors=markers.anchors[: FEW_ANCHORS - 1])
    assert locate_bases_in_image(few, image, 0).hindered == {}
