"""What a user of the client that openapi-python-client generates writes: lists, creates with the largest int64, reads it back."""

import os

from pets_client import AuthenticatedClient
from pets_client.api.pets import create_pet, get_pet, list_pets
from pets_client.models import Error, NewPet, Pet

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])
created = create_pet.sync(client=client, body=NewPet(name="Guido", category_id=2**63 - 1))
assert isinstance(created, Pet)
found = get_pet.sync(created.id, client=client)
listed = list_pets.sync(client=client)
assert isinstance(found, Pet) and isinstance(listed, list)
for pet in [created, found, *listed]:
    print(pet.id, pet.name, pet.category_id, pet.status)

rejected = create_pet.sync(client=client, body=NewPet(name=" ", category_id=1))
assert isinstance(rejected, Error)
print(rejected.status, rejected.code)
limited = list_pets.sync_detailed(client=client)
assert isinstance(limited.parsed, Error)
print(limited.parsed.status, limited.parsed.code, limited.headers["Retry-After"])
