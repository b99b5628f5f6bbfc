import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseFreePort } from '../../test/support/free-port.js';
import { startKnot, type Knot } from '../../test/support/knot.js';
import { startFaultyDns } from '../../test/support/faulty-dns.js';
import { factsOf } from '../facts.js';
import { keepReport } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { usageOf } from '../process-usage.js';
import { connect, startDatabase } from '../targets/database.js';
import { startServer } from '../targets/running-server.js';
import { medianOf } from '../summary.js';
import { MAX_DOMAINS } from '../../src/features/publishing/domains/domains-service.js';
import { domainSettings, fillWithDomains, PLATFORM_HOST, type FilledDomains } from './fill-domains.js';

const DOMAINS = 1000;
const IDLE_SECONDS = 3;
const LOOKS_TIMEOUT_MS = 300_000;
const SILENT = 'silent.test';
const VERIFIED_TIMEOUT_MS = 120_000;
const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');
const progress = (line: string) => process.stderr.write(`${line}\n`);

interface Pass {
  medianMs: number;
  p99Ms: number;
  cpuMs: number;
}

/** `npm run bench:domains`: a thousand customers' domains on one gateway. @returns the exit code */
export async function main(): Promise<number> {
  const startedAt = new Date();
  const measured = await measure();
  const facts = await factsOf(startedAt);
  const markdown = [
    ...renderFacts(`${DOMAINS} domains on one gateway, ${facts.startedAt}`, facts),
    ...renderRows(
      [
        'a visit to each domain, one after the other, a TLS handshake each',
        'median ms',
        'p99 ms',
        'gateway CPU ms a visit',
      ],
      Object.entries(measured.visits).map(([name, { medianMs, p99Ms, cpuMs }]) => [
        name,
        round(medianMs, 2),
        round(p99Ms, 1),
        round(cpuMs, 2),
      ]),
    ),
    `Memory of the gateway: ${round(measured.idleMiB, 0)} MiB before the first visit, ${round(measured.visitedMiB, 0)} MiB after the last.`,
    '',
    `Looks at DNS, one worker: ${round(measured.looksPerSecond, 0)} domains a second, all ${DOMAINS} due at once.`,
    '',
    `Verify to verified: ${round(measured.aloneMs, 0)} ms alone, ${round(measured.besideSilentMs, 0)} ms (${round(measured.besideSilentMs / measured.aloneMs, 1)} times as long) beside a customer with ${MAX_DOMAINS} domains whose name servers keep silence.`,
    '',
  ].join('\n');
  await keepReport(undefined, 'domains', { facts, ...measured }, markdown);
  process.stdout.write(markdown);
  return 0;
}

async function measure() {
  const database = await startDatabase();
  const uri = database.uriOf('domains');
  const connection = await connect(uri);
  const knot = await startKnot();
  const dns = await startFaultyDns(knot, ({ name }) => (name.endsWith(SILENT) ? 'silence' : undefined));
  try {
    const settings = domainSettings();
    progress(`filling a database with ${DOMAINS} domains`);
    const filled = await fillWithDomains(connection, DOMAINS, settings);
    for (const host of filled.siteHosts) await knot.set(host, 'A', '127.0.0.1');
    progress('adding their DNS records');
    const hostOf = new Map(
      await Promise.all(
        filled.domains.map(async ({ id, projectId }): Promise<[string, string]> => {
          const project = await filled.services.projects.get(projectId);
          return [id, `${project.slug}.pets.test.`];
        }),
      ),
    );
    for (const { id, name } of filled.domains) await knot.set(name, 'CNAME', hostOf.get(id) ?? '');
    const httpsPort = await chooseFreePort();
    const server = await startServer(process.execPath, [GATEWAY, 'serve'], {
      ...settings,
      MONGODB_URI: uri,
      PORT: '0',
      LOG_LEVEL: 'error',
      HTTPS_PORT: String(httpsPort),
      DNS_SERVERS: dns.address,
    });
    try {
      await sleep(IDLE_SECONDS * 1000);
      const idleMiB = usageOf(server.pid).residentMiB;
      const visits: Record<string, Pass> = {};
      for (const pass of ['first', 'second', 'third']) {
        progress(`${pass} visits`);
        visits[pass] = await visitEach(filled, httpsPort, server.pid);
      }
      const visitedMiB = usageOf(server.pid).residentMiB;
      progress('looks at DNS');
      const looksPerSecond = await lookAtAll(filled);
      progress('Verify beside silent name servers');
      const aloneMs = await verifiedAfterMs(filled, knot, 'alone');
      await verifySilent(filled);
      const besideSilentMs = await verifiedAfterMs(filled, knot, 'beside');
      return { idleMiB, visitedMiB, visits, looksPerSecond, aloneMs, besideSilentMs };
    } finally {
      await server.stop();
      await filled.services.close();
    }
  } finally {
    await dns.close();
    await knot.close();
    await connection.close();
    await database.close();
  }
}

/** Without resumption: each visit is a whole handshake. */
async function visitEach({ domains, root }: FilledDomains, port: number, pid: number): Promise<Pass> {
  const times: number[] = [];
  const before = usageOf(pid).cpuUs;
  for (const { name } of domains) {
    const begin = performance.now();
    await visit(name, port, root);
    times.push(performance.now() - begin);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return {
    medianMs: medianOf(times),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    cpuMs: (usageOf(pid).cpuUs - before) / 1000 / domains.length,
  };
}

function visit(host: string, port: number, ca: string): Promise<void> {
  const agent = new Agent({ maxCachedSessions: 0 });
  return new Promise((resolve, reject) => {
    request({ agent, host: '127.0.0.1', port, servername: host, ca, headers: { host }, path: '/' })
      .on('error', reject)
      .on('response', (answer) => {
        answer.resume().on('end', () => {
          agent.destroy();
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`${host} answered ${answer.statusCode ?? 0}`));
        });
      })
      .end();
  });
}

/** All due at once; the gateway's worker hears of it by itself. */
async function lookAtAll({ domains, services }: FilledDomains): Promise<number> {
  const store = services.customerDomains?.store;
  if (store === undefined) throw new Error('no domains');
  const asked = new Date();
  for (const { id } of domains) await store.requestVerification(id, asked);
  const begin = performance.now();
  while ((await store.nextDueAt()) !== undefined) {
    if (performance.now() - begin > LOOKS_TIMEOUT_MS) throw new Error('the worker does not get on');
    await sleep(100);
  }
  return domains.length / ((Date.now() - asked.getTime()) / 1000);
}

async function newStore({ services }: FilledDomains, name: string) {
  const { id, slug } = await services
    .administration({ role: 'command line' })
    .createProject({ name, plan: 'pro' });
  await services
    .administration({ role: 'command line' })
    .createDeploy({ projectId: id, template: 'storefront' });
  return { id, host: `${slug}.${PLATFORM_HOST}` };
}

/** How long a new customer's domain takes from Verify to verified, in milliseconds. */
async function verifiedAfterMs(filled: FilledDomains, knot: Knot, name: string): Promise<number> {
  const { customerDomains } = filled.services;
  if (customerDomains === undefined) throw new Error('no domains');
  const { id, host } = await newStore(filled, name);
  await knot.set(host, 'A', '127.0.0.1');
  const domain = await customerDomains.service.add(id, `shop.${name}.test`);
  await knot.set(domain.name, 'CNAME', `${host}.`);
  const begin = performance.now();
  await customerDomains.service.verify(domain.id);
  for (;;) {
    const tookMs = performance.now() - begin;
    if ((await customerDomains.service.get(domain.id)).dns.state === 'verified') return tookMs;
    if (tookMs > VERIFIED_TIMEOUT_MS) throw new Error(`${domain.name} is not verified`);
    await sleep(20);
  }
}

/** One customer chooses Verify for as many domains as a project can have; their name servers keep silence. */
async function verifySilent(filled: FilledDomains): Promise<void> {
  const { customerDomains } = filled.services;
  const { id } = await newStore(filled, 'silent');
  for (let i = 0; i < MAX_DOMAINS; i++) {
    const domain = await customerDomains?.service.add(id, `shop-${i}.${SILENT}`);
    if (domain !== undefined) await customerDomains?.service.verify(domain.id);
  }
}
