import { deprecationOf, linkOf, warnOfDeprecation, type Deprecation } from './deprecation.js';
import { errorOf, PetsUnreachable } from './errors.js';
import { parsePet, parsePets, renderNewPet, type NewPet, type Pet, type PetStatus } from './pet.js';
import { rateLimitOf, type RateLimit } from './rate-limit.js';
import { withRetries, type RetryOptions } from './retry.js';

export interface PetsClientOptions {
  /** With the version: `https://api.example.com/v1`. */
  baseUrl: string;
  apiKey: string;
  retry?: RetryOptions;
  /** Told after each answer that says how the key stands. */
  onRateLimit?: (rateLimit: RateLimit) => void;
  /** Told once for each method whose operation will be removed. Default: a warning on the console. */
  onDeprecation?: (deprecation: Deprecation) => void;
  /** Default: the fetch of the platform. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ListOptions extends CallOptions {
  status?: PetStatus;
  /** 1 to 100; the API's default is 20. */
  limit?: number;
  /** `next` of the page before. */
  after?: string;
}

export interface PetsPage {
  pets: Pet[];
  /** Undefined on the last page. */
  next: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** One of your own makes a create safe to repeat after a restart, for 24 hours. Default: one of each call. */
  idempotencyKey?: string;
}

/**
 * Every call is repeated while that may help: what asks to wait is waited for, and a create is repeated under its
 * idempotency key, which adds nothing twice.
 * @throws PetsApiError, PetsUnreachable, and the reason of an aborted signal
 */
export interface PetsClient {
  list(options?: ListOptions): Promise<PetsPage>;
  /** All pets by id, page after page. */
  all(options?: Omit<ListOptions, 'after'>): AsyncGenerator<Pet, void>;
  create(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated The operation is deprecated and will be removed; over GraphQL `petsByIds` is the lasting way. */
  get(id: bigint, options?: CallOptions): Promise<Pet>;
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
    if (!deprecated.has(method)) tellDeprecation(method, response);
    if (!response.ok) throw errorOf(response, body);
    return { response, body };
  }

  function tellDeprecation(method: string, response: Response): void {
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
      throw new PetsUnreachable('the API cannot be reached, or the connection broke', error);
    }
  }

  const ask = (method: keyof PetsClient, path: string, init: RequestInit, { signal }: CallOptions) =>
    withRetries(() => once(method, path, { ...init, ...(signal && { signal }) }), retry, signal);

  const client: PetsClient = {
    async list({ status, limit, after, ...call } = {}) {
      const query = new URLSearchParams();
      if (status !== undefined) query.set('status', status);
      if (limit !== undefined) query.set('limit', String(limit));
      if (after !== undefined) query.set('after', after);
      const { response, body } = await ask('list', `/pets${query.size > 0 ? `?${query}` : ''}`, {}, call);
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
      const { body } = await ask(
        'create',
        '/pets',
        { method: 'POST', headers, body: renderNewPet(pet) },
        call,
      );
      return parsePet(body);
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is deprecated for callers
    async get(id, call = {}) {
      return parsePet((await ask('get', `/pets/${id}`, {}, call)).body);
    },
  };
  return client;
}

function nextOf({ headers }: Response, baseUrl: string): string | undefined {
  return linkOf(headers, 'next', baseUrl)?.searchParams.get('after') ?? undefined;
}
