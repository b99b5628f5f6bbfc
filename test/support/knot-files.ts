export interface KnotSettings {
  folder: string;
  /** Path of the control socket. */
  socket: string;
  port: number;
  zones: readonly string[];
}

/** A knot.conf: on 127.0.0.1, as small as it goes, changes of zones kept in memory only. */
export function configuration({ folder, socket, port, zones }: KnotSettings): string {
  return `server:
  rundir: "${folder}"
  listen: 127.0.0.1@${port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
control:
  listen: "${socket}"
database:
  storage: "${folder}"
log:
  - target: stderr
    any: warning
template:
  - id: default
    storage: "${folder}"
    zonefile-sync: -1
    journal-content: none
zone:
${zones.map((zone) => `  - domain: "${zone}"\n    file: "${fileOf(zone)}"\n`).join('')}`;
}

/** Where the configuration looks for a zone; one whose file is not there answers SERVFAIL. */
export function fileOf(zone: string): string {
  return zone === '.' ? 'root.zone' : `${zone}.zone`;
}

/** A zone file without a name of its own. */
export function emptyZone(zone: string): string {
  const origin = zone === '.' ? '.' : `${zone}.`;
  return `${origin} 60 SOA ns.invalid. hostmaster.invalid. 1 3600 900 86400 60
${origin} 60 NS ns.invalid.
`;
}
