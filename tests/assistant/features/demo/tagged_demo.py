"""A demo whose models all have tags, for what is about tags."""

from dataclasses import replace

from assistant.features.demo.catalogue import Demo, glue_tag, read_demo
from assistant.setup.file import Setup


def read_tagged_demo(rulebook: str) -> Demo:
    """Return a demo with a tag on every base, numbered from 1 in the order of the models."""
    demo = read_demo(rulebook)
    bases = tuple(glue_tag(tag, model) for tag, (_, model) in enumerate(demo.state.iterate_models(), 1))
    return replace(demo, setup=Setup.model_validate({**dict(demo.setup), "bases": bases}))
