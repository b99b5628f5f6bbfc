import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { createKeyRing } from '../../../../src/features/publishing/certificates/key-ring.js';
import {
  openPrivateKey,
  resealIssuance,
  type IssuanceStart,
} from '../../../../src/features/publishing/certificates/issuance.js';
import type { StoredCertificate } from '../../../../src/features/publishing/domains/domain.js';
import { PEBBLE_SHORT_PROFILE } from '../../../support/pebble.js';
import { until } from '../../../support/until.js';
import { issuanceOf, issuedOf, startCa, step, takeSteps, type WithCa } from './with-ca.js';

const DAY_MS = 86_400_000;
const STATES = ['ordered', 'answering', 'finalizing'] as const;
const ORDERED = 'Added order';
const ISSUED = 'Issued certificate serial';
const REPLACES = 'is a replacement of';
const MARKED = 'has been marked as replaced';

let ca: WithCa;
beforeAll(async () => {
  ca = await startCa();
});
afterAll(() => ca.close());

interface Issued extends StoredCertificate, Pick<IssuanceStart, 'hostname' | 'replaces'> {}

async function issue(start?: Partial<IssuanceStart>): Promise<Issued> {
  const domain = await ca.start(start);
  let replaces: string | undefined;
  const certified = await takeSteps(
    domain,
    () => ca.process(),
    (issuance) => {
      ({ replaces } = issuance);
      return false;
    },
  );
  return { ...issuedOf(certified), hostname: domain.name, replaces };
}

describe('a certificate', () => {
  it('is issued after a real http-01 validation, and browsers that trust the CA trust it', async () => {
    const issued = await issue();
    expect(issued.notAfter.getTime() - issued.notBefore.getTime()).toBe(90 * DAY_MS - 1000);
    expect(await trusts(issued, await ca.pebble.root())).toBe(true);
    expect(await trusts(issued, ca.pebble.ca)).toBe(false);
  });

  it('goes through every state once', async () => {
    const states: string[] = [];
    const issued = await takeSteps(
      await ca.start(),
      () => ca.process(),
      ({ state }) => {
        if (states.at(-1) !== state) states.push(state);
        return false;
      },
    );
    issuedOf(issued);
    expect(states).toEqual(['keyed', ...STATES]);
  });

  it('costs one order, although each step is taken by another process', async () => {
    const before = count();
    await issue();
    expect(count()).toEqual({ orders: before.orders + 1, certificates: before.certificates + 1 });
  });

  it.each(STATES)('costs one order, even if a process died in %s after its step', async (state) => {
    const before = count();
    const reached = await takeSteps(
      await ca.start(),
      () => ca.process(),
      (now) => now.state === state,
    );
    for (let deaths = 0; deaths < 3; deaths += 1) await step(reached, ca.process());
    issuedOf(await takeSteps(reached, () => ca.process()));
    expect(count()).toEqual({ orders: before.orders + 1, certificates: before.certificates + 1 });
  });

  it.each(STATES)(
    'costs one order, although several processes hold it %s at the same time',
    async (state) => {
      const before = count();
      const reached = await takeSteps(
        await ca.start(),
        () => ca.process(),
        (now) => now.state === state,
      );
      const steps = await Promise.all(Array.from({ length: 5 }, () => step(reached, ca.process())));
      for (const domain of steps) issuedOf(await takeSteps(domain, () => ca.process()));
      // Pebble itself does not notice when it is handed two requests at once; a lease has to keep that from happening.
      if (state !== 'finalizing') expect(count().certificates).toBe(before.certificates + 1);
      expect(count().orders).toBe(before.orders + 1);
    },
  );

  it('has the profile that was asked for', async () => {
    const { notBefore, notAfter } = await issue({ profile: PEBBLE_SHORT_PROFILE });
    expect(notAfter.getTime() - notBefore.getTime()).toBe(6 * DAY_MS - 1000);
  });

  it('replaces another by its ARI identifier', async () => {
    const replaced = ca.pebble.logged(REPLACES);
    await replace(await issue());
    expect(ca.pebble.logged(REPLACES)).toBeGreaterThan(replaced);
  });

  it.each([
    [
      'was replaced already',
      async () => {
        const first = await issue();
        await replace(first);
        return first;
      },
    ],
    [
      'is unknown to the CA',
      async () => ({ ...(await issue()), ariId: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' }),
    ],
  ])('is ordered plainly when what it should replace %s', async (_, before) => {
    const { hostname, ariId } = await before();
    expect(await issue({ hostname, replaces: ariId })).toMatchObject({ replaces: undefined });
  });

  it('survives a rotation of the key ring while it is issued', async () => {
    const reached = await takeSteps(
      await ca.start(),
      () => ca.process(),
      ({ state }) => state === 'answering',
    );
    const both = createKeyRing([{ id: 'k2', secret: Buffer.alloc(32, 2) }, ...ca.encryptionKeys]);
    const onlyNewer = createKeyRing([{ id: 'k2', secret: Buffer.alloc(32, 2) }]);
    const issuance = resealIssuance(issuanceOf(reached), both);
    expect(resealIssuance(issuance, both)).toBe(issuance);
    const resealed = { ...reached, certificate: { ...reached.certificate, issuance } };
    issuedOf(await takeSteps(resealed, () => ca.process({ keyRing: onlyNewer })));
  });

  it('waits untouched for a key ring that can open it', async () => {
    const reached = await takeSteps(
      await ca.start(),
      () => ca.process(),
      ({ state }) => state === 'finalizing',
    );
    const strange = createKeyRing([{ id: 'k2', secret: Buffer.alloc(32, 2) }]);
    const waiting = await step(reached, ca.process({ keyRing: strange }));
    expect(waiting).toMatchObject({
      certificate: { issuance: reached.certificate.issuance },
      problem: { code: 'ca_unavailable', message: expect.stringContaining('encryption key') as string },
    });
    issuedOf(await takeSteps(waiting, () => ca.process()));
  });
});

describe('a host that answers wrongly', () => {
  afterEach(() => ca.answerTokens(ca.rightAnswer));

  it.each([
    ['another answer', (token: string) => `${token}.${'x'.repeat(43)}`],
    ['no answer', () => undefined],
  ])('gets no certificate for %s; it counts as a failed validation', async (_, answer) => {
    ca.answerTokens(answer);
    const domain = await ca.start();
    expect(await takeSteps(domain, () => ca.process())).toMatchObject({
      certificate: { state: 'failed', failures: 1 },
      problem: { code: 'ca_rejected', message: expect.stringContaining('port 80') as string },
    });
    expect(ca.failedValidations).toContain(domain.name);
  });
});

describe('what the CA rejects outright', () => {
  it.each([
    ['an unknown profile', { profile: 'no-such' }],
    ['a name that it does not certify', { hostname: 'no_such_label.example' }],
  ])('fails at once for %s, and counts as no failed validation', async (_, start) => {
    const domain = await ca.start(start);
    expect(await takeSteps(domain, () => ca.process())).toMatchObject({
      certificate: { state: 'failed', failures: 1 },
      problem: { code: 'ca_rejected' },
    });
    expect(ca.failedValidations).not.toContain(domain.name);
  });
});

function count() {
  return { orders: ca.pebble.logged(ORDERED), certificates: ca.pebble.logged(ISSUED) };
}

/**
 * Pebble delivers a certificate shortly before it knows it as one that can be replaced, and shortly before it marks the
 * replaced one. What came too early was issued without `replaces`.
 */
async function replace({ hostname, ariId }: Issued): Promise<void> {
  const marked = ca.pebble.logged(MARKED);
  await until('Pebble to know the certificate', async () => {
    const issued = await issue({ hostname, replaces: ariId });
    // Marked already if the answer to its order was lost: the CA then rejects a second replacement.
    return issued.replaces === ariId || ca.pebble.logged(MARKED) > marked;
  });
  await until('Pebble to mark it', () => Promise.resolve(ca.pebble.logged(MARKED) > marked));
}

/** Whether a TLS client with this root talks to a server with this certificate, under its name. */
async function trusts(issued: Issued, root: string): Promise<boolean> {
  const key = openPrivateKey(issued, ca.keyRing).export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ cert: issued.pem, key }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, servername: issued.hostname, ca: root });
  try {
    await once(client, 'secureConnect');
    return client.authorized;
  } catch {
    return false;
  } finally {
    client.destroy();
    server.close();
  }
}
