import type { Clock } from '../../lib/clock.js';
import { currentTrace, inTraceOf, type Traced } from '../../lib/trace-context.js';

/** From then on a flight is taken for stuck, and those who gather no longer wait for it. */
const OVERDUE_MS = 1000;

interface Passenger<Request, Answer> extends Traced {
  request: Request;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface Flights<Request, Answer> {
  /** One call for all of them. Answers in their order; when it throws, that is the answer to each. */
  send: (requests: readonly Request[]) => Promise<readonly Answer[]>;
  /** What a request adds to a call, and the most that one call may hold, unless a single request is larger. */
  sizeOf: (request: Request) => number;
  maxSize: number;
}

/**
 * Requests that arrive while a call is on its way gather, and share the next one. When none is on its way a request
 * leaves at once, within the same tick: no timer, nobody to wait for. Nobody ever joins a call that was sent before,
 * so whatever a call sees is no older than the requests it answers.
 *
 * A call ends when the driver ends it (socketTimeoutMS in src/platform/mongo/connection.ts at the latest). Until then one
 * that is overdue holds back nobody: the next to arrive leaves, with all who gathered.
 */
export function createSharedFlights<Request, Answer>(
  { send, sizeOf, maxSize }: Flights<Request, Answer>,
  clock: Clock,
): (request: Request) => Promise<Answer> {
  let gathered: Passenger<Request, Answer>[] = [];
  let flying = 0;
  let lastDepartureMs = 0;

  function departAll(): void {
    const passengers = gathered;
    gathered = [];
    for (const load of loadsOf(passengers)) void inTraceOf(load, fly, undefined);
  }

  async function fly(passengers: readonly Passenger<Request, Answer>[]): Promise<void> {
    flying += 1;
    lastDepartureMs = clock();
    try {
      const answers = await send(passengers.map(({ request }) => request));
      for (const [i, { resolve }] of passengers.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of passengers) reject(error);
    }
    flying -= 1;
    departAll();
  }

  function loadsOf(passengers: readonly Passenger<Request, Answer>[]): Passenger<Request, Answer>[][] {
    const loads: Passenger<Request, Answer>[][] = [];
    let free = 0;
    for (const passenger of passengers) {
      const size = sizeOf(passenger.request);
      const load = loads.at(-1);
      if (load !== undefined && size <= free) load.push(passenger);
      else {
        loads.push([passenger]);
        free = maxSize;
      }
      free -= size;
    }
    return loads;
  }

  return (request) =>
    new Promise((resolve, reject) => {
      gathered.push({ request, resolve, reject, trace: currentTrace() });
      if (flying === 0 || clock() - lastDepartureMs >= OVERDUE_MS) departAll();
    });
}
