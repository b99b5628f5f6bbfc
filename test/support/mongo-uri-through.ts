/** The URI of the same database by way of a wire on 127.0.0.1, which the driver sees instead of the set behind it. */
export function mongoUriThrough(uri: string, wirePort: number): string {
  const through = new URL(uri);
  through.port = String(wirePort);
  // The members that the replica set names are not behind this wire.
  through.searchParams.delete('replicaSet');
  through.searchParams.set('directConnection', 'true');
  // The gateway's own limit.
  through.searchParams.delete('waitQueueTimeoutMS');
  return through.href;
}
