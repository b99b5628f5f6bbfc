"""What schemathesis cannot know from the documents alone. It loads this file because of SCHEMATHESIS_HOOKS."""

import base64
import datetime

import schemathesis
from hypothesis import strategies as st
from schemathesis.graphql import nodes


def cursor_of(pet_id: int) -> str:
    return base64.urlsafe_b64encode(f"pet:{pet_id}".encode()).decode().rstrip("=")


# A cursor is what an earlier page gave, which no JSON Schema can say; to clients it is any text.
schemathesis.openapi.format("cursor", st.integers(1, 1000).map(cursor_of))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    if "openapi" in raw_schema:
        raw_schema["components"]["parameters"]["After"]["schema"]["format"] = "cursor"


@schemathesis.hook
def before_call(context, case, kwargs):
    # schemathesis takes the `id` of an answer for a value of X-Request-Id, and then cannot send the integer.
    for name, value in (case.headers or {}).items():
        if isinstance(value, int):
            case.headers[name] = str(value)


INT64 = st.integers(-(2**63), 2**63 - 1)
schemathesis.graphql.scalar("Int64", st.one_of(INT64.map(nodes.Int), INT64.map(str).map(nodes.String)))
schemathesis.graphql.scalar(
    "DateTime",
    st.datetimes(timezones=st.just(datetime.timezone.utc)).map(lambda at: nodes.String(at.isoformat())),
)
