#!/bin/sh
# Installs the generator in .venv, and writes the package pets_client from the OpenAPI document.
set -eu
cd "$(dirname "$0")"
[ -x .venv/bin/openapi-python-client ] || { python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt; }
.venv/bin/openapi-python-client generate --path ../../schema/openapi.yaml --meta none --output-path pets_client --overwrite
