#!/usr/bin/env bash
# Adds a pet. curl waits for Retry-After, and --retry-max-time ends the retries at once if the wait would take longer.
set -euo pipefail

trap 'cat "$added"; rm -f "$added"' EXIT

added=$(mktemp)
curl --fail-with-body --silent --show-error --retry 3 --retry-max-time 90 --output "$added" \
  --header "Authorization: Bearer $API_KEY" \
  --header "Idempotency-Key: $(date +%s)-$$" \
  --header 'Content-Type: application/json' \
  --data '{"name":"Pixel","categoryId":2}' \
  "$BASE_URL/v1/pets"
