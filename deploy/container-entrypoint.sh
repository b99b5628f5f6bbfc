#!/bin/sh
# The entrypoint of the image. Without MONGODB_URI, the gateway starts a MongoDB of its own in DATA_DIR. Without a volume
# there, the data would be lost with the container, so the gateway does not start.
set -eu
case " $* " in
*' serve '*)
  if [ -z "${MONGODB_URI:-}${MONGODB_URI_FILE:-}" ] && ! mountpoint -q "${DATA_DIR:-/data}"; then
    echo "error: This container has no database. Do one of these:
  - set MONGODB_URI, or MONGODB_URI_FILE with the path of a file that contains it
  - for a MongoDB inside this container, mount a volume at ${DATA_DIR:-/data}: docker run -v pets:${DATA_DIR:-/data} …" >&2
    exit 1
  fi
  ;;
esac
exec "$@"
