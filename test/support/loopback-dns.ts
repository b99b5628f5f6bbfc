import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { chooseFreePort } from './free-port.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

export interface LoopbackDns {
  /** host:port */
  address: string;
  close: () => Promise<void>;
}

/** A DNS server to which every name is 127.0.0.1, and which ends with this process: pebble-challtestsrv. */
export async function startLoopbackDns(): Promise<LoopbackDns> {
  const [port, managementPort] = [await chooseFreePort(), await chooseFreePort()];
  const address = `127.0.0.1:${port}`;
  const child = spawn(
    ...tied('pebble-challtestsrv', [
      ...['-dnsserver', address, '-management', `127.0.0.1:${managementPort}`],
      ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', ''],
    ]),
    { stdio: 'ignore' },
  );
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  await until('pebble-challtestsrv to listen', () => isListening(port));
  return {
    address,
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
