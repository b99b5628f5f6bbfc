"""Sends one request with each client as it comes, with its retries switched on and nothing else set. Each client gets a
path of its own below the address given, so that the server can tell them apart.

    python3 defaults.py http://127.0.0.1:3000 GET
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import requests
import urllib3
from httpx_retries import RetryTransport
from requests.adapters import HTTPAdapter
from requests_ratelimiter import LimiterSession
from urllib3.util import Retry

server, method = sys.argv[1:]
body = b'{"name":"Pixel","categoryId":2}' if method == "POST" else None


def ask_with_urllib3(url):
    urllib3.request(method, url, body=body)


def ask_with_requests(url):
    requests.request(method, url, data=body)


def ask_with_requests_and_retry(url):
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=Retry(3)))
        session.request(method, url, data=body)


def ask_with_requests_ratelimiter(url):
    with LimiterSession(per_minute=60) as session:
        session.request(method, url, data=body)


def ask_with_httpx(url):
    httpx.request(method, url, content=body)


def ask_with_httpx_retries(url):
    with httpx.Client(transport=RetryTransport()) as client:
        client.request(method, url, content=body)


CLIENTS = {
    "urllib3": ask_with_urllib3,
    "requests": ask_with_requests,
    "requests with Retry(3)": ask_with_requests_and_retry,
    "requests-ratelimiter": ask_with_requests_ratelimiter,
    "httpx": ask_with_httpx,
    "httpx-retries": ask_with_httpx_retries,
}

# The context manager waits for all of them; what they raise is of no interest here.
with ThreadPoolExecutor(len(CLIENTS)) as pool:
    for name, ask in CLIENTS.items():
        pool.submit(ask, f"{server}/{quote(name)}")
