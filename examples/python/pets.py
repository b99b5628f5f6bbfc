"""Adds an animal and reads all that are available, page by page. Python's integers hold every int64."""

import json
import os
import random
import re
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import urljoin

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000") + "/v1/pets"
ATTEMPTS = 5
# A used-up minute passes. A used-up day can need 24 hours: then the request fails at once.
MAX_WAIT_SECONDS = 70


def ask(url, body=None, headers=None):
    """The answer and its headers. Repeats what may succeed later, after the wait that was asked for."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + os.environ["API_KEY"], "Content-Type": "application/json", **(headers or {})}
    for attempt in range(1, ATTEMPTS + 1):
        wait = random.random() * 0.5 * 2**attempt
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as answer:
                return json.load(answer), answer.headers
        except urllib.error.HTTPError as error:
            retry_after = error.headers.get("Retry-After")
            wait += float(retry_after or 0)
            cannot_pass = retry_after is None and error.code < 500
            if attempt == ATTEMPTS or cannot_pass or wait > MAX_WAIT_SECONDS:
                raise SystemExit(f"{error.code}: {error.read().decode()}") from error
        except urllib.error.URLError:
            if attempt == ATTEMPTS:
                raise
        time.sleep(wait)


def add(name, category_id):
    # The same key on every attempt: however often this is repeated, one animal is added.
    key = {"Idempotency-Key": str(uuid.uuid4())}
    pet, _ = ask(BASE_URL, {"name": name, "categoryId": category_id}, key)
    return pet


def available():
    url = BASE_URL + "?status=available&limit=100"
    while url:
        pets, headers = ask(url)
        yield from pets
        following = re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))
        url = urljoin(url, following[1]) if following else None


if __name__ == "__main__":
    print("added", add("Pixel", 2))
    for pet in available():
        print(pet["id"], pet["name"])
