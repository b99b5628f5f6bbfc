#!/usr/bin/env bash
# Two people want the same animal: one reserves it, and the other learns who was first. Needs curl 7.76.
set -euo pipefail
pets=${BASE_URL:-http://127.0.0.1:3000}/v1/pets
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Writes the response to the files $1 and $1.headers, and prints its status. Waits after a 429 or 503, unless
# that would take longer than --retry-max-time, as when the day is used up.
api() {
  local file=$folder/$1
  shift
  curl --no-progress-meter --retry 5 --retry-max-time 90 --retry-connrefused -o "$file" -D "$file.headers" -w '%{http_code}' \
    -H "Authorization: Bearer $API_KEY" "$@"
}

# The same as api, for a request that must succeed.
must() {
  local status
  status=$(api "$@")
  case $status in 2??) ;; *) cat "$folder/$1"; echo; exit 1 ;; esac
}

# A new key for each change, the same for all its attempts: a retry changes nothing twice.
once() { echo "Idempotency-Key: $1-$(date +%s)-$$"; }

# Pixel is at the vet, and comes back.
must new -H 'Content-Type: application/json' -H "$(once new)" \
  -d '{"name":"Pixel","categoryId":2,"status":"pending"}' "$pets"
id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' "$folder/new")
must back -X PATCH -H 'Content-Type: application/merge-patch+json' -H "$(once back)" \
  -d '{"status":"available"}' "$pets/$id"

# This is the version of Pixel that both people see.
etag=$(tr -d '\r' <"$folder/back.headers" | sed -n 's/^[Ee][Tt]ag: //p')

# Reserves Pixel only if it is still that version.
reserve() {
  local status
  status=$(api "$1" -X PATCH -H 'Content-Type: application/merge-patch+json' -H "If-Match: $etag" \
    -H "$(once "$1")" -d "{\"name\":\"Pixel, for $1\",\"status\":\"pending\"}" "$pets/$id")
  echo "$1: $status $(cat "$folder/$1")"
  case $status in 200 | 412) ;; *) return 1 ;; esac
}
reserve Anna &
anna=$!
reserve Ben &
ben=$!
wait "$anna"
wait "$ben"

# Pixel moves out.
must gone -X DELETE "$pets/$id"
