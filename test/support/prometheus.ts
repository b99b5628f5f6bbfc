import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { chooseFreePort } from './free-port.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

/** One series of an answer: its labels, and its value at the moment. */
export interface Found {
  labels: Record<string, string>;
  value: number;
}

export interface Prometheus {
  /** @throws Error with what Prometheus says is wrong with the expression */
  query: (expression: string) => Promise<Found[]>;
  close: () => Promise<void>;
}

interface Configuration {
  global: Record<string, string>;
  rule_files: string[];
  scrape_configs: Record<string, unknown>[];
}

const FOLDER = join(__dirname, '../../deploy/prometheus');

/**
 * A Prometheus of its own with the configuration and the rules of deploy/prometheus, but for where it finds gateways
 * and how often it asks them: this one, each second.
 */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  const configuration = parse(await readFile(join(FOLDER, 'prometheus.yml'), 'utf8')) as Configuration;
  const [{ dns_sd_configs: _names, ...scrape } = {}] = configuration.scrape_configs;
  const here = {
    ...configuration,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: configuration.rule_files.map((name) => join(FOLDER, name)),
    scrape_configs: [{ ...scrape, static_configs: [{ targets: [target] }] }],
  };
  await writeFile(file, stringify(here));
  const address = `127.0.0.1:${await chooseFreePort()}`;
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=${address}`];
  const child = spawn(...tied('prometheus', args), { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = once(child, 'exit');
  await until('Prometheus to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended:\n${output}`);
    return fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    query: (expression) => query(address, expression),
    async close() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Answer {
  status: 'success' | 'error';
  error?: string;
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

async function query(address: string, expression: string): Promise<Found[]> {
  const body = new URLSearchParams({ query: expression });
  const response = await fetch(`http://${address}/api/v1/query`, { method: 'POST', body });
  const { status, error, data } = (await response.json()) as Answer;
  if (status !== 'success') throw new Error(`${expression}: ${error ?? ''}`);
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}
