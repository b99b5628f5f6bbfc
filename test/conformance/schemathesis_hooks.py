"""What schemathesis cannot know from the documents alone; it loads this because of SCHEMATHESIS_HOOKS."""

import base64
import dataclasses
import datetime
import json
import os
import re

import graphql
import schemathesis
from hypothesis import strategies as st
from schemathesis.graphql import nodes
from schemathesis.specs.graphql import validation


def cursor_of(pet_id: int) -> str:
    return base64.urlsafe_b64encode(f"pet:{pet_id}".encode()).decode().rstrip("=")


# A cursor is what an earlier page gave, which no JSON Schema can say; to clients it is any text.
schemathesis.openapi.format("cursor", st.integers(1, 1000).map(cursor_of))
# Likewise an ETag.
schemathesis.openapi.format("etags", st.sampled_from(["*", '"of-another-pet"', 'W/"weak"', '"one", "two"']))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    if "openapi" in raw_schema:
        raw_schema["components"]["parameters"]["After"]["schema"]["format"] = "cursor"
        raw_schema["components"]["parameters"]["IfMatch"]["schema"]["format"] = "etags"
        # To be new for each change: with one key for all, most changes would be 422.
        for parameter in ("IdempotencyKey", "IdempotencyKeyOfChange"):
            del raw_schema["components"]["parameters"][parameter]["example"]


@schemathesis.hook
def before_call(context, case, kwargs):
    # schemathesis takes the `id` of an answer for a value of X-Request-Id, and then cannot send the integer.
    for name, value in (case.headers or {}).items():
        if isinstance(value, int):
            case.headers[name] = str(value)
    # To JSON Schema 7.0 is an integer; in a query, integers are canonical decimal digits.
    mode = case.meta.generation.mode if case.meta else None
    if mode is None or mode.is_positive:
        for name, value in (case.query or {}).items():
            if isinstance(value, str) and re.fullmatch(r"-?[0-9]+\.0", value):
                case.query[name] = value.removesuffix(".0")
            elif isinstance(value, float) and value.is_integer():
                case.query[name] = int(value)


# GraphQL: the two scalars of our own, and what the types cannot say.

_INT64 = st.integers(-(2**63), 2**63 - 1)
schemathesis.graphql.scalar("Int64", st.one_of(_INT64.map(nodes.Int), _INT64.map(str).map(nodes.String)))
schemathesis.graphql.scalar(
    "DateTime",
    st.datetimes(datetime.datetime(2100, 1, 1), timezones=st.just(datetime.timezone.utc)).map(
        lambda at: nodes.String(at.isoformat())
    ),
)

# Our own code of a refusal takes the place of Apollo's BAD_USER_INPUT; of a fault, of INTERNAL_SERVER_ERROR.
validation.CLIENT_ERROR_MARKERS |= {"invalid_request"}
validation.SERVER_ERROR_MARKERS |= {"internal_error", "service_unavailable"}

# What there is, by the field that is asked, or by the name of an input's field.
_IDS = json.loads(os.environ.get("EXISTING_IDS", "{}"))
# A range that lies neither in the future nor over more than 400 days.
_USAGE = {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"}

_AUDIT_FILTER = {"action": "project.create", "actorRole": "command line", **_USAGE}


# The fields below others that have pages.
_PAGES = ("apiKeys", "deploys", "refusals")
# Objects that are queried by themselves as well. Below others, their own lists would ask for too many nodes.
_QUERIED_ALONE = ("actorKey", "apiKey", "domains", "project")
_ONLY_ID = graphql.SelectionSetNode(selections=(graphql.FieldNode(name=graphql.NameNode(value="id"), arguments=(), directives=()),))


class _Meaningful(graphql.Visitor):
    """Puts values that have a meaning where the types allow any: ids that exist, pages of a size in range."""

    def __init__(self):
        super().__init__()
        self.fields = []

    def enter_field(self, node, *_):
        self.fields.append(node.name.value)

    def leave_field(self, node, *_):
        self.fields.pop()
        # A page is counted from the start or from the end.
        if node.name.value == "petsConnection" and any(
            argument.name.value == "last" and is_set(argument.value) for argument in node.arguments or ()
        ):
            others = tuple(argument for argument in node.arguments if argument.name.value != "first")
            return dataclasses.replace(node, arguments=others)
        if node.name.value in _QUERIED_ALONE and node.selection_set is not None and self.fields:
            return dataclasses.replace(node, selection_set=_ONLY_ID)
        # Pages within pages of the default size would soon ask for more nodes than one request may.
        if node.name.value not in _PAGES or node.selection_set is None or not self.fields:
            return None
        others = tuple(argument for argument in node.arguments or () if argument.name.value != "first")
        first = graphql.ArgumentNode(name=graphql.NameNode(value="first"), value=nodes.Int(3))
        return dataclasses.replace(node, arguments=(*others, first))

    def enter_argument(self, node, *_):
        # `before` needs a cursor, as `after` does.
        return graphql.REMOVE if node.name.value == "before" else None

    def leave_argument(self, node, *_):
        return self._meaningful(node)

    def leave_object_field(self, node, *_):
        return self._meaningful(node)

    def leave_object_value(self, node, *_):
        given = {field.name.value: field.value for field in node.fields}
        if "customQuota" in given or "plan" in given and self.fields[-1] in ("changePlan", "createProject"):
            given["plan"] = nodes.Enum("enterprise" if is_set(given.get("customQuota")) else "free")
        if self.fields[-1] in _COMPLETIONS:
            _COMPLETIONS[self.fields[-1]](given)
        if self.fields[-1] == "createApiKey":
            give_a_key_what_its_role_needs(given)
        # The key is a server key.
        if self.fields[-1] == "updateApiKey":
            given.pop("allowedOrigins", None)
        fields = [
            graphql.ObjectFieldNode(name=graphql.NameNode(value=name), value=value)
            for name, value in given.items()
        ]
        return dataclasses.replace(node, fields=tuple(fields))

    def _meaningful(self, node):
        if node.name.value == "after":
            return graphql.REMOVE
        value = self._value(node.name.value, node.value)
        return node if value is None else dataclasses.replace(node, value=value)

    def _value(self, name, given):
        """The value in place of the given one, if any."""
        if self.fields[-1] == "usage":
            return nodes.String(_USAGE[name])
        if name in ("id", "projectId", "apiKeyId"):
            of_field = _IDS.get(f"{self.fields[-1]}.{name}")
            return nodes.String(of_field or _IDS[self.fields[-1] if name == "id" else name])
        if name == "domainId":
            return graphql.NullValueNode()
        if isinstance(given, graphql.NullValueNode):
            return None
        if self.fields[-1] == "auditLog" and name in _AUDIT_FILTER:
            return nodes.String(_AUDIT_FILTER[name])
        if name in ("deployId", "from", "to"):
            return nodes.String(_IDS[name])
        if name == "status" and self.fields[-1] == "setRedirect":
            return nodes.Int(308)
        if name == "message":
            return nodes.String("Spring")
        if name == "withinDays":
            return nodes.Int(abs(int(given.value)) % 400)
        # Each project may ask for hundreds of nodes.
        if self.fields[-1] == "projects" and name == "first":
            return nodes.Int(1 + abs(int(given.value)) % 3)
        if name in ("first", "last", "limit"):
            return nodes.Int(1 + abs(int(given.value)) % 10)
        if name in ("requestsPerMinute", "requestsPerDay", "overlapSeconds"):
            return nodes.Int(1 + abs(int(given.value)) % 1000)
        if name == "nameContains" and len(given.value) > 64:
            return nodes.String("Rex")
        if name == "externalId" and (len(given.value) > 64 or not is_a_name(given.value)):
            return nodes.String("A-1")
        if name in ("name", "nameContains") and not is_a_name(given.value):
            return nodes.String("Rex")
        return None


def is_a_name(text):
    return text.strip() != "" and text.isprintable() and len(text) <= 100


def is_set(value):
    return value is not None and not isinstance(value, graphql.NullValueNode)


def give_a_key_what_its_role_needs(given):
    if is_set(given.get("allowedOrigins")):
        given["role"] = nodes.Enum("browser")
    role = given["role"].value if is_set(given.get("role")) else "server"
    # People are invited.
    if role == "staff":
        del given["role"]
    if role == "browser":
        given["allowedOrigins"] = nodes.List([nodes.String("https://shop.example")])
    if role == "admin":
        given.pop("projectId", None)
    else:
        given["projectId"] = nodes.String(_IDS["projectId"])


def change_a_pet(given):
    """Without preconditions, which would have to name what the pet is now."""
    for name in [name for name, value in given.items() if name.startswith("if") or not is_set(value)]:
        del given[name]
    if given.keys() <= {"id"}:
        given["name"] = nodes.String("Rex")


def change_a_project(given):
    if not is_set(given.get("name")) and not is_set(given.get("siteAnimals")):
        given["name"] = nodes.String("Paws")


def invite_to_the_project(given):
    given["projectId"] = nodes.String(_IDS["projectId"])


def find_pets(given):
    """An admin key finds an own number in one project."""
    if is_set(given.get("externalId")):
        given["projectId"] = nodes.String(_IDS["projectId"])


def create_an_import(given):
    given["projectId"] = nodes.String(_IDS["projectId"])
    most = given.pop("deleteAtMost", None)
    if is_set(most) and is_set(given.get("deleteMissing")) and given["deleteMissing"].value:
        given["deleteAtMost"] = nodes.Int(abs(int(most.value)) % 1000)


_COMPLETIONS = {
    "createPetsImport": create_an_import,
    "createInvitation": invite_to_the_project,
    "petsConnection": find_pets,
    "updatePet": change_a_pet,
    "updateProject": change_a_project,
}


@schemathesis.hook("before_call")
def give_meaning(context, case, kwargs):
    mode = case.meta.generation.mode if case.meta else None
    if isinstance(case.body, str) and mode is not None and mode.is_positive:
        case.body = graphql.print_ast(graphql.visit(graphql.parse(case.body), _Meaningful()))
