import type { Profile, ProfileNode } from '../../shared/inspector.ts';

export type FunctionTime = { readonly name: string; readonly place: string; readonly ms: number };
export type Summary = {
  /** The part of the sampled time in which the process waited. */
  readonly idleMs: number;
  readonly busyMs: number;
  /** The own time of functions, by package. */
  readonly packages: readonly { readonly name: string; readonly ms: number }[];
  /** The functions with the most time of their own. */
  readonly own: readonly FunctionTime[];
  /** Our functions, including everything that they call. */
  readonly ours: readonly FunctionTime[];
};

/** Summarizes a profile, most expensive first. */
export function summarize(profile: Profile, root: string): Summary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const own = new Map<string, number>();
  const whole = new Map<string, number>();
  const packages = new Map<string, number>();
  let idleMs = 0;
  let busyMs = 0;

  profile.samples.forEach((id, index) => {
    const ms = (profile.timeDeltas[index] ?? 0) / 1000;
    const node = nodes.get(id);
    if (!node) return;
    if (node.callFrame.functionName === '(idle)') {
      idleMs += ms;
      return;
    }
    busyMs += ms;
    add(packages, packageOf(node, root), ms);
    add(own, labelOf(node, root), ms);
    // A recursive function counts once.
    const seen = new Set<string>();
    for (let at: ProfileNode | undefined = node; at; at = nodes.get(parents.get(at.id) ?? -1)) {
      if (packageOf(at, root).startsWith('ours')) seen.add(labelOf(at, root));
    }
    for (const label of seen) add(whole, label, ms);
  });

  return {
    idleMs,
    busyMs,
    packages: descending(packages).map(([name, ms]) => ({ name, ms })),
    own: descending(own).map(functionTime),
    ours: descending(whole).map(functionTime),
  };
}

/** The origin of the code: one of our packages, a library, or a part of Node or V8. */
export function packageOf({ callFrame: { functionName, url } }: ProfileNode, root: string): string {
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (functionName === '(program)') return 'native code (V8, libuv, system calls)';
  if (url === '' || url.startsWith('node:'))
    return url.startsWith('node:') ? 'Node’s own JavaScript' : 'built-in functions';
  const path = pathOf(url, root);
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  if (library !== undefined) return library;
  // ajv and fast-json-stringify generate functions without a file.
  const [first, second] = path.split('/');
  return path.startsWith('/') || second === undefined
    ? 'generated (ajv, fast-json-stringify)'
    : `ours: ${first}/${second}`;
}

const separator = '\0';

function labelOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode, root: string): string {
  const place = url === '' ? '' : `${pathOf(url, root)}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${separator}${place.replace(/^.*node_modules\//, '')}`;
}

function functionTime([label, ms]: [string, number]): FunctionTime {
  const [name = '', place = ''] = label.split(separator);
  return { name, place, ms };
}

const pathOf = (url: string, root: string): string => url.replace(/^file:\/\//, '').replace(`${root}/`, '');

function add(to: Map<string, number>, key: string, ms: number): void {
  to.set(key, (to.get(key) ?? 0) + ms);
}

const descending = (from: Map<string, number>) => [...from].sort(([, a], [, b]) => b - a);
