import httpx
from httpx_retries import Retry, RetryTransport

from pet import BASE_URL, HEADERS, PET


class PatientRetry(Retry):
    """Waits for a Retry-After of up to a minute. A longer one is an error."""

    def sleep(self, response):
        if isinstance(response, httpx.Response) and int(response.headers.get("Retry-After", 0)) > 60:
            raise httpx.HTTPError(f"{response.status_code}: Retry-After is {response.headers['Retry-After']} s")
        super().sleep(response)


retry = PatientRetry(total=3, allowed_methods=["GET", "POST"], backoff_factor=0.5)
client = httpx.Client(transport=RetryTransport(retry=retry))

response = client.post(f"{BASE_URL}/v1/pets", json=PET, headers=HEADERS)
response.raise_for_status()
print("added", response.json()["name"])
