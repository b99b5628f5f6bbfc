#!/usr/bin/env bash
# Sends one request with curl, and one with wget, with their retries switched on and nothing else set.
set -uo pipefail
server=$1
method=$2
pet='{"name":"Pixel","categoryId":2}'
curl_post=()
wget_post=()
if [ "$method" = POST ]; then
  curl_post=(--data "$pet")
  wget_post=(--post-data "$pet")
fi
curl --silent --retry 3 "${curl_post[@]}" "$server/curl" >/dev/null &
wget --quiet --output-document - --retry-on-http-error=429 "${wget_post[@]}" "$server/wget" >/dev/null &
wait
