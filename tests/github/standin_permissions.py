"""The stand-in's people: who may do what in the repository."""

from __future__ import annotations

from dataclasses import dataclass, field

from standin_server import Answer, Call, StandIn, refusal, route, user


@dataclass
class Permissions:
    """What GitHub says of people; of everybody else that they may read.

    Attributes
    ----------
    roles : dict of str to str
        By login: ``admin``, ``maintain``, ``write``, ``triage``, ``read``, ``none``.
    unknown : set of str
        Those that GitHub does not know any more.
    """

    roles: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


_LEGACY = {"maintain": "write", "triage": "read"}


@route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
def read_permission(state: StandIn, call: Call) -> Answer:
    """Tell a person's permission, in the old words and in the new."""
    login = call.path["username"]
    people = state.part(Permissions)
    if login in people.unknown:
        return refusal(404, f"{login} is not a user")
    role = people.roles.get(login, "read")
    person = {**user(login), "role_name": role}
    return 200, {"permission": _LEGACY.get(role, role), "role_name": role, "user": person}, {}
