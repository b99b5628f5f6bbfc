#!/usr/bin/env bash
# Adds an animal and reads all that are available, page by page.
set -euo pipefail
base=${BASE_URL:-http://127.0.0.1:3000}/v1

# --retry waits as Retry-After says (429, 503), or else ever longer.
api() {
  curl -sS --fail-with-body --retry 5 --retry-connrefused -H "Authorization: Bearer $API_KEY" "$@"
}

# The same key on every attempt: however often this is repeated, one animal is added.
api -H 'Content-Type: application/json' -H "Idempotency-Key: ${IDEMPOTENCY_KEY:-$(date +%s)-$$}" \
  -d '{"name":"Pixel","categoryId":2}' "$base/pets"
echo

url="$base/pets?status=available&limit=100"
while [ -n "$url" ]; do
  headers=$(mktemp)
  api -D "$headers" "$url"
  echo
  # Link: </v1/pets?…>; rel="next", until the last page.
  path=$(sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p' "$headers")
  rm "$headers"
  url=${path:+${base%/v1}$path}
done
