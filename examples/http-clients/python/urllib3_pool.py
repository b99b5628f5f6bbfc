import urllib3

from patient_retry import retry
from pet import BASE_URL, HEADERS, PET

http = urllib3.PoolManager(retries=retry)

response = http.request("POST", f"{BASE_URL}/v1/pets", json=PET, headers=HEADERS)
if response.status != 201:
    raise SystemExit(response.data.decode())
print("added", response.json()["name"])
