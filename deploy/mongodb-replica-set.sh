#!/bin/sh
# Runs once beside MongoDB: turns the single node into a replica set, and exits when the node accepts writes.
# The image starts mongod twice on an empty volume, so the first attempts can fail to connect or to authenticate.
set -eu
uri="mongodb://root:${MONGO_PASSWORD}@mongodb:27017/admin?directConnection=true&serverSelectionTimeoutMS=2000"
attempt=0
until mongosh --quiet "$uri" --eval '
  try { rs.status() } catch { rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "mongodb:27017" }] }) }
  while (!db.hello().isWritablePrimary) sleep(200)
'; do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 60 ]; then
    echo 'MongoDB did not become a writable replica set within 60 attempts: see the log of the mongodb container' >&2
    exit 1
  fi
  sleep 1
done
