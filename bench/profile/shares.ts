/** A profile as V8 records it (Chrome DevTools Protocol, Profiler.Profile). */
export interface Profile {
  nodes: readonly {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: readonly number[];
  }[];
  /** The node of each sample, and the microseconds since the sample before it. */
  samples: readonly number[];
  timeDeltas: readonly number[];
}

/** Names with their share of the busy time, the largest first. */
export type Shares = readonly (readonly [name: string, share: number])[];

export interface ProfileShares {
  busySeconds: number;
  /** Where code ran, by package or folder, without what it called. */
  areas: Shares;
  /** Functions, without what they called. */
  functions: Shares;
  /** The gateway's functions with all that they called. */
  steps: Shares;
}

type Frame = Profile['nodes'][number]['callFrame'];

const IDLE = '(idle)';

export function sharesOf({ nodes, samples, timeDeltas }: Profile): ProfileShares {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map<number, number>();
  samples.forEach((id, i) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  const areas = new Map<string, number>();
  const functions = new Map<string, number>();
  const steps = new Map<string, number>();
  const add = (sums: Map<string, number>, name: string, us: number) =>
    sums.set(name, (sums.get(name) ?? 0) + us);

  /** @param above the functions that called this one: a recursive function counts once. @returns its time with calls */
  function walk(id: number, above: ReadonlySet<string>): number {
    const node = byId.get(id);
    if (node === undefined || node.callFrame.functionName === IDLE) return 0;
    const frame = node.callFrame;
    const name = nameOf(frame);
    const us = own.get(id) ?? 0;
    add(areas, areaOf(frame), us);
    add(functions, name, us);
    const below = new Set(above).add(name);
    const whole = (node.children ?? []).reduce((sum, child) => sum + walk(child, below), us);
    if (isOfGateway(frame) && !above.has(name)) add(steps, name, whole);
    return whole;
  }

  const root = nodes[0];
  const busyUs = root === undefined ? 0 : walk(root.id, new Set());
  const sorted = (sums: Map<string, number>): Shares =>
    [...sums].map(([name, us]) => [name, us / busyUs] as const).sort(([, a], [, b]) => b - a);
  return {
    busySeconds: busyUs / 1e6,
    areas: sorted(areas),
    functions: sorted(functions),
    steps: sorted(steps),
  };
}

const DIST = /^.*\/dist\//;
const PACKAGES = /^.*\/node_modules\//;

const isOfGateway = ({ url }: Frame) => DIST.test(url) && !PACKAGES.test(url);

function areaOf({ functionName, url }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native code and system calls';
  if (PACKAGES.test(url)) {
    const [scope = '', name = ''] = url.replace(PACKAGES, '').split('/');
    return scope.startsWith('@') ? `${scope}/${name}` : scope;
  }
  if (DIST.test(url)) return `src/${url.replace(DIST, '').split('/').slice(0, 2).join('/')}`;
  return url.startsWith('node:') ? 'Node’s own JavaScript' : 'other';
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  return `${name} ${url.replace(PACKAGES, '').replace(DIST, 'dist/').replace('file://', '')}:${lineNumber + 1}`;
}
