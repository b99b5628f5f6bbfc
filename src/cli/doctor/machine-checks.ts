import { statfs } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../lib/loopback.js';
import { findGateway } from '../../platform/mongod/data-dir.js';
import { askReadiness, originOf } from '../gateway-url.js';
import { fault, ok, warning, type Finding } from './finding.js';

const MIB = 1024 * 1024;
const LITTLE_MIB = 1024;

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
      ? ok('DATA_DIR', `${dataDir} has ${freeMib} MiB of free space`)
      : warning(
          'DATA_DIR',
          `${dataDir} has only ${freeMib} MiB of free space`,
          'Free space on this disk. MongoDB stops when its disk is full.',
        ),
  ];
}

/**
 * Checks the gateway that runs on this data directory, wherever it listens. Without one, checks that PORT is free: a
 * gateway on another data directory is as much in the way as any program.
 */
async function checkPort(config: Config): Promise<Finding> {
  const { mongodbUri, dataDir, host, port } = config;
  const check = 'PORT';
  const own = mongodbUri === undefined ? await findGateway(dataDir) : undefined;
  const origin = own === undefined ? originOf(host, port) : originOf(own.host, own.port);
  const found = await askReadiness(origin);
  if (own !== undefined)
    return found === 'ready'
      ? ok(check, `the gateway of ${dataDir} is ready at ${origin} (pid ${own.pid})`)
      : fault(check, `the gateway of ${dataDir} (pid ${own.pid}) is not ready at ${origin}`, seeWhy(origin));
  if (found === 'nothing') return ok(check, `nothing listens at ${origin} yet`);
  if (found === 'other')
    return fault(
      check,
      `another program listens at ${origin}`,
      'Stop that program, or set PORT to another port.',
    );
  if (mongodbUri === undefined)
    return fault(
      check,
      `a gateway of another data directory listens at ${origin}`,
      `Stop that gateway, or set PORT to another port. To check that gateway, set DATA_DIR as it has it.`,
    );
  return found === 'ready'
    ? ok(check, `a gateway is ready at ${origin}`)
    : fault(check, `the gateway at ${origin} is not ready`, seeWhy(origin));
}

function seeWhy(origin: string): string {
  return `To see why, send an admin key: curl -H "Authorization: Bearer $ADMIN_API_KEY" ${origin}/health/ready`;
}

function checkExposure({ host, publicUrl }: Config): Finding[] {
  if (isLoopback(host) || publicUrl?.startsWith('https:') === true) return [];
  return [
    warning(
      'HOST',
      `other machines can reach ${host}, and PUBLIC_URL is not an https address: API keys travel unencrypted`,
      'Put a proxy with HTTPS in front of the gateway, and set PUBLIC_URL and TRUST_PROXY.',
    ),
  ];
}
