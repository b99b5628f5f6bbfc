import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chooseFreePort } from './free-port.js';
import { goProgram } from './go-program.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

/** What happens to the bytes on a wire, as toxiproxy names it. `upstream`: on their way to the store. */
export interface Toxic {
  type: 'latency' | 'timeout' | 'reset_peer' | 'bandwidth' | 'slicer';
  stream: 'upstream' | 'downstream';
  attributes: Record<string, number>;
}

/** A TCP connection's way to a store, through a proxy that can spoil it. */
export interface Wire {
  /** On 127.0.0.1. */
  port: number;
  spoil: (...toxics: Toxic[]) => Promise<void>;
  /** Refuses connections and breaks those that stand. */
  cut: () => Promise<void>;
  /** As at the beginning: this wire, and all others of this toxiproxy. */
  restore: () => Promise<void>;
}

export interface Toxiproxy {
  /** A wire of its own, even if there is another one to this port. */
  wireTo: (port: number) => Promise<Wire>;
  close: () => Promise<void>;
}

const MODULE = 'github.com/Shopify/toxiproxy/v2/cmd/server';

/** A toxiproxy of its own, which ends with this process. */
export async function startToxiproxy(): Promise<Toxiproxy> {
  const program = await goProgram('toxiproxy', MODULE, 'v2.12.0', 'server');
  const port = await chooseFreePort();
  const child = spawn(...tied(program, ['-host', '127.0.0.1', '-port', String(port)]), { stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;

  async function ask<T>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`toxiproxy ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  await until('toxiproxy to answer', () =>
    fetch(`${url}/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  let wires = 0;
  return {
    async wireTo(upstreamPort) {
      const name = `wire-${++wires}`;
      const { listen } = await ask<{ listen: string }>('/proxies', {
        name,
        listen: '127.0.0.1:0',
        upstream: `127.0.0.1:${upstreamPort}`,
        enabled: true,
      });
      return {
        port: Number(new URL(`tcp://${listen}`).port),
        async spoil(...toxics) {
          for (const toxic of toxics) await ask(`/proxies/${name}/toxics`, toxic);
        },
        cut: () => ask(`/proxies/${name}`, { enabled: false }),
        restore: () => ask('/reset', {}),
      };
    },
    async close() {
      child.kill();
      await exited;
    },
  };
}
