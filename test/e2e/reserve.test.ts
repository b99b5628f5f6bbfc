import type { NewPet } from '../../src/features/pets/pet.js';
import { startFleet, type Fleet } from '../support/fleet.js';
import { useStarted } from '../support/gateway.js';
import { graphQLPets, restPets, type Told } from '../support/pet-client.js';
import { AMPLE } from '../support/rest-client.js';

const CLIENTS = 50;
const ROUNDS = 3;

const fleet: Fleet = useStarted(() => startFleet(3));

const REX: NewPet = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };
const INTERFACES = {
  REST: [restPets],
  GraphQL: [graphQLPets],
  both: [restPets, graphQLPets],
};

test.each(Object.entries(INTERFACES))(
  'fifty clients reserve one animal at once on three gateways over %s: one wins, the others learn its state',
  async (_over, interfaces) => {
    const { secret } = await fleet.office.keyOn('enterprise', AMPLE);
    const clients = Array.from({ length: CLIENTS }, (_, i) => {
      const { url } = fleet.processes[i % fleet.processes.length] ?? { url: '' };
      const open = interfaces[Math.floor(i / fleet.processes.length) % interfaces.length] ?? restPets;
      return open({ url, secret });
    });
    const [first] = clients;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { pet } = (await first?.create(REX)) ?? {};
      const id = pet?.id ?? 0n;
      // Everybody has seen the animal before anybody reserves it.
      const conditions = await Promise.all(clients.map((client) => client.conditionOf(id, REX)));
      const responses: Told[] = await Promise.all(
        clients.map((client, i) =>
          client.update(id, { name: `Rex for ${i}`, status: 'pending' }, conditions[i]),
        ),
      );
      const winners = responses.filter(({ code }) => code === 'ok');
      expect(winners).toHaveLength(1);
      const won = winners[0]?.pet;
      expect(won).toMatchObject({ id, status: 'pending', categoryId: REX.categoryId });
      for (const client of clients.slice(0, 6))
        expect(await client.read(id)).toEqual({ code: 'ok', pet: won });
      const others = responses.filter(({ code }) => code !== 'ok');
      for (const { code, state } of others)
        expect({ code, state }).toEqual({
          code: 'precondition_failed',
          state: { name: won?.name, categoryId: won?.categoryId, status: 'pending' },
        });
      expect(others).toHaveLength(CLIENTS - 1);
    }
  },
);
