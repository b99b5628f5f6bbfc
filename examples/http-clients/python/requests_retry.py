import requests
from requests.adapters import HTTPAdapter

from patient_retry import retry
from pet import BASE_URL, HEADERS, PET

session = requests.Session()
for scheme in ("http://", "https://"):
    session.mount(scheme, HTTPAdapter(max_retries=retry))

response = session.post(f"{BASE_URL}/v1/pets", json=PET, headers=HEADERS)
if not response.ok:
    raise SystemExit(response.text)
print("added", response.json()["name"])
