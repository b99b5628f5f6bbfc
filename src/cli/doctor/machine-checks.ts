import { statfs } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../lib/loopback.js';
import { fault, ok, warning, type Finding } from './finding.js';

const MIB = 1024 * 1024;
const LITTLE_MIB = 1024;
const TIMEOUT_MS = 3000;

/** Checks the disk, the port and the exposure of the gateway on this machine. */
export async function checkMachine(config: Config): Promise<Finding[]> {
  return [...(await checkDisk(config)), await checkPort(config), ...checkExposure(config)];
}

async function checkDisk({ mongodbUri, dataDir }: Config): Promise<Finding[]> {
  if (mongodbUri !== undefined) return [];
  const { bavail, bsize } = await statfs(dataDir);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  return [
    freeMib >= LITTLE_MIB
      ? ok('DATA_DIR', `${dataDir}, ${freeMib} MiB free`)
      : warning(
          'DATA_DIR',
          `${dataDir} has ${freeMib} MiB left`,
          'MongoDB stops when its disk is full: make room.',
        ),
  ];
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const check = 'PORT';
  try {
    const answer = await fetch(`http://${authority}/health/ready`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined;
    if (body?.status === 'ready') return ok(check, `a gateway runs at ${authority} and is ready`);
    return fault(
      check,
      body?.status === undefined
        ? `another program has ${authority}`
        : `a gateway runs at ${authority}, not ready`,
      body?.status === undefined ? 'Stop it, or set PORT.' : `See http://${authority}/health/ready.`,
    );
  } catch {
    return ok(check, `nothing listens at ${authority} yet`);
  }
}

function checkExposure({ host, publicUrl }: Config): Finding[] {
  if (isLoopback(host) || publicUrl?.startsWith('https:') === true) return [];
  return [
    warning(
      'HOST',
      `${host} is reached from other machines, and PUBLIC_URL names no https address: API keys would travel in the clear`,
      'Put a proxy with HTTPS in front, and set PUBLIC_URL and TRUST_PROXY.',
    ),
  ];
}
