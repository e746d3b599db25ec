import {
  crmOperations,
  eventsOperations,
  gatewayOperations,
  messagingOperations,
  schedulingOperations,
} from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { routes } from './index.ts';

const operations = Object.values({
  ...crmOperations,
  ...eventsOperations,
  ...gatewayOperations,
  ...messagingOperations,
  ...schedulingOperations,
});
/** Operations without a store (calendar feed, webhooks, sandbox) need no key, so their paths are outside the prefix. */
const publicOperations = operations.filter(
  ({ subject, tenancy }) => subject.split('.')[1] === 'api' && tenancy === 'store',
);

test('every public operation of the contracts has exactly one route, and nothing else has one', () => {
  const routed = routes.map(({ operation }) => operation.subject);
  expect(routed.toSorted()).toEqual(publicOperations.map(({ subject }) => subject).toSorted());
});

test('no two routes share method and path', () => {
  const places = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
  expect(new Set(places).size).toBe(places.length);
});

test.each(routes)('$method $path has the path parameters of its operation', ({ path, operation }) => {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  expect(inPath).toEqual(Object.keys(operation.request.params?.properties ?? {}));
});

/** These change nothing. They are POST, not GET, because they have a body. */
const readingPosts = ['crm.api.agents.select'];

test.each(routes)('$method $path belongs to a store, and its scope matches whether it reads or writes', (route) => {
  expect(route.operation.tenancy).toBe('store');
  const reads = route.method === 'GET' || readingPosts.includes(route.operation.subject);
  expect(route.scope).toMatch(reads ? /:read$/ : /:write$/);
});

test.each(routes)(
  '$method $path has a body only if its method allows one, and every PUT and PATCH has one',
  ({ method, operation }) => {
    const hasBody = operation.request.body !== undefined;
    if (method === 'GET' || method === 'DELETE') expect(hasBody).toBe(false);
    if (method === 'PUT' || method === 'PATCH') expect(hasBody).toBe(true);
  },
);

test.each(routes.filter(({ method }) => method === 'PATCH'))(
  '$method $path has no defaults, which would change members that a request leaves out',
  ({ operation }) => {
    const members = Object.entries(operation.request.body?.properties ?? {}) as [string, { default?: unknown }][];
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter(([, member]) => member.default !== undefined)).toEqual([]);
  },
);
