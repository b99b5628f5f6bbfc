#!/usr/bin/env bash
# Adds an animal and reads all that are available, page by page. Needs curl 7.76.
set -euo pipefail
gateway=${BASE_URL:-http://127.0.0.1:3000}
body=$(mktemp)
headers=$(mktemp)
trap 'rm -f "$body" "$headers"' EXIT

# Prints the body of the last response only: curl empties the file before each retry.
# --retry waits as Retry-After says (429, 503), or else ever longer. It fails at once if that would take longer than
# --retry-max-time: a used-up minute passes, but a used-up day can need 24 hours.
api() {
  local code=0
  curl --no-progress-meter --fail-with-body --retry 5 --retry-max-time 90 --retry-connrefused -o "$body" -D "$headers" \
    -H "Authorization: Bearer $API_KEY" "$@" || code=$?
  cat "$body"
  echo
  return "$code"
}

# The same key on every attempt: however often this is repeated, one animal is added.
api -H 'Content-Type: application/json' -H "Idempotency-Key: ${IDEMPOTENCY_KEY:-$(date +%s)-$$}" \
  -d '{"name":"Pixel","categoryId":2}' "$gateway/v1/pets"

url="$gateway/v1/pets?status=available&limit=100"
while [ -n "$url" ]; do
  api "$url"
  # Link: <…>; rel="next", until the last page. The URL is absolute if the gateway knows its public address.
  url=$(sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p' "$headers")
  case $url in /*) url=$gateway$url ;; esac
done
