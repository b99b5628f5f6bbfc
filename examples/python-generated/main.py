"""Adds an animal and reads all available animals with a client that openapi-python-client generates."""

import os
import re
import time
import uuid

from pets_client import AuthenticatedClient
from pets_client.api.pets import create_pet, list_pets
from pets_client.models import Error, NewPet, PetStatus

ATTEMPTS = 5
# A used-up minute passes. A used-up day can need 24 hours: then the request fails at once.
MAX_WAIT_SECONDS = 70


def ask(operation, **arguments):
    """Calls an operation, and repeats it after the wait that Retry-After asks for (429 and 503)."""
    for attempt in range(1, ATTEMPTS + 1):
        response = operation.sync_detailed(client=client, **arguments)
        wait = int(response.headers.get("Retry-After", 0))
        if wait == 0 or wait > MAX_WAIT_SECONDS or attempt == ATTEMPTS:
            break
        time.sleep(wait + 0.1)
    if isinstance(response.parsed, Error):
        raise SystemExit(f"{response.status_code} {response.parsed.code}: {response.parsed.message}")
    return response


def available():
    after = {}
    while after is not None:
        page = ask(list_pets, status=PetStatus.AVAILABLE, limit=100, **after)
        yield from page.parsed
        following = re.search(r'<[^>]*[?&]after=([^&>]*)[^>]*>; rel="next"', page.headers.get("Link", ""))
        after = {"after": following[1]} if following else None


base_url = os.environ.get("BASE_URL", "http://127.0.0.1:3000") + "/v1"
with AuthenticatedClient(base_url=base_url, token=os.environ["API_KEY"]) as client:
    # All retries send the same key, so that the gateway adds one animal.
    new_pet = NewPet(name="Pixel", category_id=2)
    added = ask(create_pet, body=new_pet, idempotency_key=str(uuid.uuid4())).parsed
    print("added", added.id, added.name)
    for pet in available():
        print(pet.id, pet.name)
