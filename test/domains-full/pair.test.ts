import { visit } from '../interfaces/sites/visitor.js';
import { isActive } from '../support/domain-gateway.js';
import { until } from '../support/until.js';
import { useDomainGateway } from '../support/use-domain-gateway.js';

const { world, node } = useDomainGateway();

const at = (host: string) => visit(node(), host, '/animals?page=2');

test.each([
  ['pair.test', 'www.pair.test'],
  ['www.other-pair.test', 'other-pair.test'],
])('%s comes with %s, which redirects to it as soon as both are served', async (name, other) => {
  const project = await node().project(name);
  const change = node().services.administration({ role: 'command line' });
  const { domain, counterpart } = await change.addDomainPair(project.id, name);
  expect([domain.name, counterpart.name]).toEqual([name, other]);
  for (const { name: added, isApex } of [domain, counterpart])
    if (isApex) await world().knot.set(added, 'A', '127.0.0.1');
    else await world().knot.set(added, 'CNAME', `${project.host}.`);

  await node().verify(counterpart);
  await node().reaches(counterpart, 'a certificate', isActive);
  expect((await at(other)).headers.location).toBeUndefined();

  await node().verify(domain);
  await node().reaches(domain, 'a certificate', isActive);
  const redirected = await until('the redirect', async () => {
    const answer = await at(other);
    return answer.status === 301 && answer;
  });
  const { hostname, pathname, search } = new URL(String(redirected.headers.location));
  expect([hostname, pathname, search]).toEqual([name, '/animals', '?page=2']);

  // Without the domain, its counterpart shows the site.
  await change.removeDomain(domain.id);
  await until('no redirect', async () => (await at(other)).headers.location === undefined);
  expect((await node().services.projects.get(project.id)).redirects).toEqual([]);
});
