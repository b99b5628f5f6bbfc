import requests
from requests_ratelimiter import LimiterAdapter

from patient_retry import retry
from pet import BASE_URL, HEADERS, PET

session = requests.Session()
for scheme in ("http://", "https://"):
    session.mount(scheme, LimiterAdapter(per_minute=60, per_day=1000, max_delay=61, max_retries=retry))

response = session.post(f"{BASE_URL}/v1/pets", json=PET, headers=HEADERS)
if not response.ok:
    raise SystemExit(response.text)
print("added", response.json()["name"])
