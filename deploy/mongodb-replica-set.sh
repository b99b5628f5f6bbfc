#!/bin/sh
# Runs once beside MongoDB: makes the single node a replica set, and ends when it takes writes.
# The image starts mongod twice on an empty volume, so the first attempts may find nobody or be refused.
set -eu
uri="mongodb://root:${MONGO_PASSWORD}@mongodb:27017/admin?directConnection=true&serverSelectionTimeoutMS=2000"
attempt=0
until mongosh --quiet "$uri" --eval '
  try { rs.status() } catch { rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "mongodb:27017" }] }) }
  while (!db.hello().isWritablePrimary) sleep(200)
'; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 60 ] || exit 1
  sleep 1
done
