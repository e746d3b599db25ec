import { expect, test } from 'vitest';
import type { ProfileNode } from '../../shared/inspector.ts';
import { packageOf, summarize } from './summarize.ts';

const node = (id: number, functionName: string, url: string, children: number[] = []): ProfileNode => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
});
const root = '/clone';

test('own time counts for the package of the code, and our functions include everything that they call', () => {
  const nodes = [
    node(1, '(root)', '', [2, 5]),
    node(2, 'handle', 'file:///clone/packages/kit/src/rpc/server.ts', [3]),
    node(3, 'handle', 'file:///clone/packages/kit/src/rpc/server.ts', [4]),
    node(4, 'encode', 'file:///clone/node_modules/.pnpm/nats@2/node_modules/nats/lib/a.js'),
    node(5, '(idle)', ''),
  ];
  const summary = summarize({ nodes, samples: [3, 4, 5], timeDeltas: [2000, 3000, 5000] }, root);
  expect(summary).toMatchObject({ busyMs: 5, idleMs: 5 });
  expect(summary.packages).toEqual([
    { name: 'nats', ms: 3 },
    { name: 'ours: packages/kit', ms: 2 },
  ]);
  expect(summary.ours).toEqual([{ name: 'handle', place: 'packages/kit/src/rpc/server.ts:10', ms: 5 }]);
});

test('the name of a scoped library includes its scope', () => {
  const url = 'file:///clone/node_modules/.pnpm/@fastify+cors@1/node_modules/@fastify/cors/index.js';
  expect(packageOf(node(1, 'f', url), root)).toBe('@fastify/cors');
});
