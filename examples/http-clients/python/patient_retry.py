from urllib3.exceptions import MaxRetryError, ResponseError
from urllib3.util import Retry


class PatientRetry(Retry):
    """Waits for a Retry-After of up to a minute. A longer one ends the retries, and you get the response."""

    def increment(self, method=None, url=None, response=None, *args, **kwargs):
        if response is not None and (self.get_retry_after(response) or 0) > 60:
            raise MaxRetryError(kwargs.get("_pool"), url, ResponseError("Retry-After is above 60 s"))
        return super().increment(method, url, response, *args, **kwargs)


retry = PatientRetry(total=3, allowed_methods=["GET", "POST"], raise_on_status=False)
