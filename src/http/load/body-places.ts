import { nameOf, type PlaceHolder } from './place-counts.js';

/**
 * Bodies that may be on the way at once, as a share of the places of requests in flight. Each takes up to 64 KiB of
 * memory, as a request in flight does. Clients without a key, or with a browser key, have places of their own.
 */
const SHARES = { keys: 3 / 8, clients: 1 / 8 };

export interface BodyPlaces {
  /**
   * Takes a place for a body. Returns the function that leaves it, or undefined if all are taken and no holder has more
   * than this one.
   * @param giveUp called if the place goes to another holder; the place is left already
   */
  enter: (holder: PlaceHolder, giveUp: () => void) => (() => void) | undefined;
}

/**
 * Places for the requests whose bodies are on the way. While there is room, a holder may take all of it. When there is
 * none, a holder with fewer bodies takes the place of the oldest body of the holder that has most. So clients whose
 * bodies never end, however many, cannot keep out a client that has none on the way.
 */
export function createBodyPlaces(places: number): BodyPlaces {
  const sizeOf = (share: number) => Math.max(1, Math.floor(places * share));
  const ofKeys = createPool(sizeOf(SHARES.keys));
  const ofClients = createPool(sizeOf(SHARES.clients));
  return {
    enter: (holder, giveUp) => (holder.kind === 'client' ? ofClients : ofKeys).enter(nameOf(holder), giveUp),
  };
}

interface Body {
  giveUp: () => void;
}

function createPool(size: number) {
  /** For each holder its bodies, oldest first; the holder that came first is first. */
  const byHolder = new Map<string, Set<Body>>();
  let taken = 0;

  function leave(holder: string, body: Body): void {
    const bodies = byHolder.get(holder);
    if (bodies?.delete(body) !== true) return;
    taken -= 1;
    if (bodies.size === 0) byHolder.delete(holder);
  }

  /** Returns whether a body of another holder gave its place up. Takes a step for each holder, only if there is no room. */
  function makeRoom(wanted: string): boolean {
    let most = { holder: wanted, bodies: byHolder.get(wanted) ?? new Set<Body>() };
    for (const [holder, bodies] of byHolder) if (bodies.size > most.bodies.size) most = { holder, bodies };
    const [oldest] = most.bodies;
    if (most.holder === wanted || oldest === undefined) return false;
    leave(most.holder, oldest);
    oldest.giveUp();
    return true;
  }

  return {
    enter(holder: string, giveUp: () => void): (() => void) | undefined {
      if (taken >= size && !makeRoom(holder)) return undefined;
      const body = { giveUp };
      const bodies = byHolder.get(holder);
      if (bodies === undefined) byHolder.set(holder, new Set([body]));
      else bodies.add(body);
      taken += 1;
      return () => leave(holder, body);
    },
  };
}
