import {
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from './domain-gateway.js';

/** For all tests of a file: a DNS, an authority, and one gateway whose jobs run and which answers challenges. */
export function useDomainGateway(): { world: () => DomainWorld; node: () => DomainGateway } {
  let world: DomainWorld;
  let node: DomainGateway;
  beforeAll(async () => {
    world = await startDomainWorld();
    node = await startDomainGateway(world);
    world.answerers.push(node.domains);
    await node.domains.startJobs();
  });
  afterAll(async () => {
    await node.close();
    await world.close();
  });
  return { world: () => world, node: () => node };
}
