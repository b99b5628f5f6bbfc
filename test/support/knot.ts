import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../src/platform/mongod/find-program.js';
import { chooseFreePort } from './free-port.js';
import { configuration, emptyZone, fileOf } from './knot-files.js';
import { mustRun } from './run-program.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA' | 'NS' | 'DS';

/** A real DNS server whose records change while it runs. Names are in full, without a trailing dot. */
export interface Knot {
  /** `ip:port`, as DNS_SERVERS and Pebble's -dnsserver take it. UDP and TCP. */
  address: string;
  port: number;
  pid: number;
  /**
   * The records of a name and type become these, none: removed. Values are as in a zone file: `192.0.2.1`,
   * `shop.pets.example.` (with the dot), `"a text"`, `0 issue "ca.example"`.
   * @throws Error where a registrar would refuse, such as an A record beside a CNAME
   */
  set: (name: string, type: RecordType, ...values: string[]) => Promise<void>;
  unset: (name: string, type: RecordType) => Promise<void>;
  /** A zone of its own for the names at and under `name`; until then they belong to the zone above. */
  addZone: (name: string) => Promise<void>;
  /** SERVFAIL for all names at and under `name`, which is no zone of its own yet: as from a server that lost its zone. */
  breakZone: (name: string) => Promise<void>;
  /** Takes a broken zone or one of its own away again. */
  removeZone: (name: string) => Promise<void>;
  /** SIGSTOP: takes in what is asked, by UDP and TCP, and never answers. Resolves once it stands still. */
  pause: () => Promise<void>;
  resume: () => void;
  /** Ends it and removes its files. */
  close: () => Promise<void>;
}

const INSTALL = 'apt-get install -y --no-install-recommends knot';

/**
 * A knotd of its own on 127.0.0.1. It answers with authority for every name there is, NXDOMAIN until it is set, since it
 * has a root zone; given other `zones`, it has those instead and answers REFUSED for the rest.
 */
export async function startKnot({ zones = ['.'] }: { zones?: readonly string[] } = {}): Promise<Knot> {
  const knotc = await programPath('knotc');
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-knot-'));
  const port = await chooseFreePort();
  const socket = join(folder, 'control.sock');
  const own = new Set(zones);
  const broken = new Set<string>();
  /** A zone has one transaction at a time. */
  let last: Promise<unknown> = Promise.resolve();

  const control: Control = (...args) => mustRun(knotc, ['--socket', socket, ...args]);

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  }

  async function setRecords(name: string, type: RecordType, values: readonly string[]): Promise<void> {
    const owner = `${name}.`;
    await mustRun('sh', ['-c', SET_RECORDS, 'sh', knotc, socket, zoneOf(name, own), owner, type, ...values]);
  }

  async function configure(): Promise<void> {
    const settings = { folder, socket, port, zones: [...own, ...broken] };
    await writeFile(join(folder, 'knot.conf'), configuration(settings));
  }

  async function addZoneFile(zone: string): Promise<void> {
    await writeFile(join(folder, fileOf(zone)), emptyZone(zone));
  }

  async function allLoaded(): Promise<void> {
    for (const zone of own)
      await until(`knotd to load ${zone}`, () => {
        if (child.exitCode !== null) throw new Error(`knotd ended with ${child.exitCode}`);
        return isLoaded(control, zone);
      });
  }

  async function reload(): Promise<void> {
    await configure();
    await control('reload');
    await allLoaded();
  }

  async function close(): Promise<void> {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  }

  await configure();
  for (const zone of own) await addZoneFile(zone);
  const child = await launch(await programPath('knotd'), folder);
  try {
    await allLoaded();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    port,
    address: `127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    set: (name, type, ...values) => inTurn(() => setRecords(name, type, values)),
    unset: (name, type) => inTurn(() => setRecords(name, type, [])),
    addZone: (name) =>
      inTurn(async () => {
        own.add(name);
        await addZoneFile(name);
        await reload();
      }),
    breakZone: (name) =>
      inTurn(async () => {
        broken.add(name);
        await reload();
      }),
    removeZone: (name) =>
      inTurn(async () => {
        own.delete(name);
        broken.delete(name);
        await reload();
      }),
    async pause() {
      child.kill('SIGSTOP');
      await until('knotd to stand still', () => standsStill(child.pid ?? 0));
    },
    resume: () => void child.kill('SIGCONT'),
    close,
  };
}

type Control = (...args: string[]) => Promise<string>;

/** In one shell: each program that a large process starts by itself costs more than all of these together. */
const SET_RECORDS = `
knotc=$1 socket=$2 zone=$3 owner=$4 type=$5
shift 5
control() { "$knotc" --socket "$socket" "$@"; }
add() { for value; do control zone-set "$zone" "$owner" 60 "$type" "$value" || return 1; done; }
control zone-begin "$zone" || exit 1
# An error when there were none.
control zone-unset "$zone" "$owner" "$type"
add "$@" && control zone-commit "$zone" && exit
control zone-abort "$zone"
exit 1
`;

async function isLoaded(control: Control, zone: string): Promise<boolean> {
  const status = await control('zone-status', zone).catch(() => '');
  return /serial: [0-9]/.test(status);
}

/** The zone that a name is in: the longest of them. */
function zoneOf(name: string, zones: ReadonlySet<string>): string {
  for (let at = name; at !== ''; at = at.replace(/^[^.]*\.?/, '')) if (zones.has(at)) return at;
  if (zones.has('.')) return '.';
  throw new Error(`no zone of this server has ${name}`);
}

/** Debian has both programs where only root's PATH leads. */
async function programPath(name: string): Promise<string> {
  const path = await findProgram(name, `${process.env['PATH'] ?? ''}:/usr/sbin`);
  if (path === undefined) throw new Error(`${name} is missing: ${INSTALL}`);
  return path;
}

async function launch(knotd: string, folder: string): Promise<ChildProcess> {
  const child = spawn(...tied(knotd, ['--config', join(folder, 'knot.conf')]), { stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

/** The signal reaches one thread after the other. */
async function standsStill(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8')));
  return stats.every((stat) => stat.includes(') T '));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
