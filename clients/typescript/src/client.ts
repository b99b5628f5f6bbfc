import { deprecationOf, linkOf, warnOfDeprecation, type Deprecation } from './deprecation.js';
import { errorOf, PetsApiError, unreachable } from './errors.js';
import {
  parsePet,
  parsePets,
  renderPet,
  type NewPet,
  type Pet,
  type PetChanges,
  type PetStatus,
  type PetVersion,
} from './pet.js';
import { rateLimitOf, type RateLimit } from './rate-limit.js';
import { withRetries, type RetryOptions } from './retry.js';

export interface PetsClientOptions {
  /** The address of the API, including the version: `https://api.example.com/v1`. */
  baseUrl: string;
  /** A server key. Browser keys work only over GraphQL. */
  apiKey: string;
  retry?: RetryOptions;
  /** Called with the state of the key's quota after each response that reports it. */
  onRateLimit?: (rateLimit: RateLimit) => void;
  /** Called once for each method whose operation will be removed. Default: prints a warning on the console. */
  onDeprecation?: (deprecation: Deprecation) => void;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ListOptions extends CallOptions {
  status?: PetStatus;
  categoryId?: bigint;
  /** True: only the pets of the key's project. */
  mine?: boolean;
  /** 1 to 100; the API's default is 20. */
  limit?: number;
  /** `next` of the previous page. */
  after?: string;
}

export interface PetsPage {
  pets: Pet[];
  /** Undefined on the last page. */
  next: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Your own key makes a create safe to repeat for 24 hours, even after a restart. Default: a new key for each call. */
  idempotencyKey?: string;
}

export interface MatchOptions extends CallOptions {
  /** An `etag`: if the pet is no longer that version, the call throws `PetChanged` and changes nothing. */
  ifMatch?: string;
}

export type UpdateOptions = MatchOptions & CreateOptions;

/**
 * Each method retries while that may help, and waits when the API asks it to. A create or an update is retried under its
 * idempotency key, so that it takes effect once. `for await (const pet of client)` reads all pets.
 * @throws PetsApiError, PetsUnreachable, or the reason of an aborted signal
 */
export interface PetsClient extends AsyncIterable<Pet> {
  list(options?: ListOptions): Promise<PetsPage>;
  /** All pets by id, page after page. */
  all(options?: Omit<ListOptions, 'after'>): AsyncGenerator<Pet, void>;
  create(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated The operation is deprecated and will be removed; use `petsByIds` over GraphQL. */
  get(id: bigint, options?: CallOptions): Promise<PetVersion>;
  /**
   * Changes the fields that `changes` names. Beta.
   * @throws PetChanged if the pet is not the version of `ifMatch`
   */
  updatePet(id: bigint, changes: PetChanges, options?: UpdateOptions): Promise<PetVersion>;
  /**
   * Removes a pet. After a lost response it also succeeds if the pet is gone. Beta.
   * @throws PetChanged if the pet is not the version of `ifMatch`
   */
  deletePet(id: bigint, options?: MatchOptions): Promise<void>;
}

interface Received {
  response: Response;
  body: string;
}

export function createPetsClient(options: PetsClientOptions): PetsClient {
  const { apiKey, retry = {}, onRateLimit, onDeprecation = warnOfDeprecation, fetch: send = fetch } = options;
  const deprecated = new Set<string>();
  const baseUrl = options.baseUrl.replace(/\/$/, '');

  async function once(method: string, path: string, init: RequestInit): Promise<Received> {
    const headers = { ...(init.headers as Record<string, string>), Authorization: `Bearer ${apiKey}` };
    const { response, body } = await receive(baseUrl + path, { ...init, headers });
    const rateLimit = rateLimitOf(response);
    if (rateLimit !== undefined) onRateLimit?.(rateLimit);
    if (!deprecated.has(method)) reportDeprecation(method, response);
    if (!response.ok) throw errorOf(response, body, { method: init.method ?? 'GET', url: baseUrl + path });
    return { response, body };
  }

  function reportDeprecation(method: string, response: Response): void {
    const deprecation = deprecationOf(response, method, baseUrl);
    if (deprecation === undefined) return;
    deprecated.add(method);
    onDeprecation(deprecation);
  }

  async function receive(url: string, init: RequestInit): Promise<Received> {
    try {
      const response = await send(url, init);
      return { response, body: await response.text() };
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw unreachable({ method: init.method ?? 'GET', url }, error);
    }
  }

  const ask = (method: string, path: string, init: RequestInit, { signal }: CallOptions) =>
    withRetries(() => once(method, path, { ...init, ...(signal && { signal }) }), retry, signal);

  /** A removal whose response was lost may have happened: then the next attempt finds no pet. */
  async function remove(id: bigint, headers: Record<string, string>, { signal }: CallOptions): Promise<void> {
    let mayBeDone = false;
    const attempt = async () => {
      try {
        await once('deletePet', `/pets/${id}`, { method: 'DELETE', headers, ...(signal && { signal }) });
      } catch (error) {
        const { code, status } = error as Partial<PetsApiError>;
        if (mayBeDone && code === 'pet_not_found') return;
        mayBeDone ||= !(error instanceof PetsApiError) || (status ?? 500) >= 500;
        throw error;
      }
    };
    await withRetries(attempt, retry, signal);
  }

  const client: PetsClient = {
    async list({ signal, ...parameters } = {}) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries<string | number | bigint | boolean | undefined>(parameters))
        if (value !== undefined) query.set(name, String(value));
      const { response, body } = await ask(
        'list',
        `/pets${query.size > 0 ? `?${query}` : ''}`,
        {},
        signal ? { signal } : {},
      );
      return { pets: parsePets(body), next: nextOf(response, baseUrl) };
    },
    async *all(listed = {}) {
      let after: string | undefined;
      do {
        const page: PetsPage = await client.list({ ...listed, ...(after !== undefined && { after }) });
        yield* page.pets;
        after = page.next;
      } while (after !== undefined);
    },
    async create(pet, { idempotencyKey = crypto.randomUUID(), ...call } = {}) {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
      const { body } = await ask('create', '/pets', { method: 'POST', headers, body: renderPet(pet) }, call);
      return parsePet(body);
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is deprecated for callers
    async get(id, call = {}) {
      return versionOf(await ask('get', `/pets/${id}`, {}, call));
    },
    async updatePet(id, changes, { ifMatch, idempotencyKey = crypto.randomUUID(), ...call } = {}) {
      const headers = {
        'Content-Type': 'application/merge-patch+json',
        'Idempotency-Key': idempotencyKey,
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      };
      const init = { method: 'PATCH', headers, body: renderPet(changes) };
      return versionOf(await ask('updatePet', `/pets/${id}`, init, call));
    },
    deletePet: (id, { ifMatch, ...call } = {}) =>
      remove(id, ifMatch === undefined ? {} : { 'If-Match': ifMatch }, call),
    [Symbol.asyncIterator]: () => client.all(),
  };
  return client;
}

/** A proxy that compresses responses makes the tag weak, and a weak tag never matches (RFC 9110 section 13.1.1). */
function versionOf({ response, body }: Received): PetVersion {
  const etag = response.headers.get('ETag') ?? '';
  return { ...parsePet(body), etag: etag.replace(/^W\//, '') };
}

function nextOf({ headers }: Response, baseUrl: string): string | undefined {
  return linkOf(headers, 'next', baseUrl)?.searchParams.get('after') ?? undefined;
}
