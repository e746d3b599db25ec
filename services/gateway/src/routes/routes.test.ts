import { crmOperations, gatewayOperations, messagingOperations, schedulingOperations } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { routes } from './index.ts';

const operations = Object.values({
  ...crmOperations,
  ...gatewayOperations,
  ...messagingOperations,
  ...schedulingOperations,
});
/** Without a store there is no key: the calendar feed, webhooks and the sandbox are served outside the prefix. */
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

/** They are no GET because of their body, and change nothing. */
const readingPosts = ['crm.api.agents.select'];

test.each(routes)('$method $path is called on behalf of a store, with a scope that fits what it does', (route) => {
  expect(route.operation.tenancy).toBe('store');
  const reads = route.method === 'GET' || readingPosts.includes(route.operation.subject);
  expect(route.scope).toMatch(reads ? /:read$/ : /:write$/);
});

test.each(routes)(
  '$method $path has a body only if its method carries one, and a PATCH has one',
  ({ method, operation }) => {
    const hasBody = operation.request.body !== undefined;
    if (method === 'GET' || method === 'DELETE') expect(hasBody).toBe(false);
    if (method === 'PATCH') expect(hasBody).toBe(true);
  },
);
