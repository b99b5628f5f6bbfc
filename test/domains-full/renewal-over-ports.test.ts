import { chooseFreePort } from '../../src/platform/mongod/mongod-connection.js';
import { isActive, startDomainGateway, startDomainWorld } from '../support/domain-gateway.js';
import { visit } from '../interfaces/sites/visitor.js';

const DAY_MS = 86_400_000;

test('proves a renewal at HTTP_PORT, which redirects everything else to HTTPS', async () => {
  const [httpPort, httpsPort] = [await chooseFreePort(), await chooseFreePort()];
  // Each order needs its own proof.
  const world = await startDomainWorld({ httpPort, authorizationReuse: 0 });
  const node = await startDomainGateway(world, {
    env: { HTTP_PORT: String(httpPort), HTTPS_PORT: String(httpsPort), PLATFORM_CERTIFICATES_PER_WEEK: '0' },
  });
  try {
    await node.domains.startJobs();
    const first = await node.reaches(await node.verifying('shop.ports.test'), 'a certificate', isActive);
    const plain = () => visit({ url: `http://127.0.0.1:${httpPort}` }, first.name, '/');
    expect((await plain()).headers.location).toBe(`https://${first.name}:${httpsPort}/`);

    const { pem = '', serialNumber } = first.certificate.current ?? {};
    const suggestedWindow = { start: new Date(Date.now() - 2 * DAY_MS), end: new Date(Date.now() - DAY_MS) };
    await world.pebble.setRenewalInfo(pem, JSON.stringify({ suggestedWindow }));
    await node.domains.store.makeCertificatesDue(first.projectId, new Date());
    node.domains.wake();
    const renewed = await node.reaches(
      first,
      'another certificate',
      ({ certificate }) => certificate.current?.serialNumber !== serialNumber,
    );
    expect(renewed.problem).toBeUndefined();
    expect((await plain()).status).toBe(301);
  } finally {
    await node.close();
    await world.close();
  }
});
