"""You: the role of a page, which is who it is to the table."""

from typing import Literal

from assistant.web.messages.message import Message

Role = Literal["host", "judge", "player", "viewer"]
"""``host`` is the machine that runs overtable; what each may do stands in `assistant.web.auth.roles`."""


class YouView(Message):
    """What the page that reads this may do; the only key is ``you``.  It holds for as long as the page is connected."""

    role: Role
