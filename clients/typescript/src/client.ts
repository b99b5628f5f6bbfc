import { deprecationOf, linkOf, warnOfDeprecation, type Deprecation } from './deprecation.js';
import { errorOf, unreachable } from './errors.js';
import { parsePet, parsePets, renderNewPet, type NewPet, type Pet, type PetStatus } from './pet.js';
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

/**
 * Each method retries while that may help, and waits when the API asks it to. A create is retried under its idempotency
 * key, so that it never adds a pet twice.
 * @throws PetsApiError, PetsUnreachable, or the reason of an aborted signal
 */
export interface PetsClient {
  list(options?: ListOptions): Promise<PetsPage>;
  /** All pets by id, page after page. */
  all(options?: Omit<ListOptions, 'after'>): AsyncGenerator<Pet, void>;
  create(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated The operation is deprecated and will be removed; use `petsByIds` over GraphQL. */
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
