import { operations } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { accountRoutes, personRoutes, routes } from './index.ts';

const all = [...accountRoutes, ...personRoutes];
const asked = (audience: string) =>
  Object.values(operations).filter(({ subject }) => subject.split('.')[1] === audience);
const ofStore = ({ tenancy }: { tenancy: string }) => tenancy === 'store';

test("every operation of the audience 'api' that belongs to a store has a path and a scope, and no other has a scope", () => {
  // Operations without a store (calendar feed, webhooks, sandbox) need no key, so their paths are outside the prefix.
  const subjects = asked('api').filter(ofStore);
  expect(routes.map(({ operation }) => operation.subject).toSorted()).toEqual(
    subjects.map(({ subject }) => subject).toSorted(),
  );
});

test('every operation of the audience `platform` that belongs to a store says its role, so the service checks it', () => {
  const silent = asked('platform').filter(
    (each) => ofStore(each) && !(typeof each.access === 'object' && 'role' in each.access),
  );
  expect(silent).toEqual([]);
});

test.each(accountRoutes)(
  '$method $path names `invalid_session` among its errors unless guests may call it',
  (route) => {
    expect(route.operation.errors.includes('invalid_session')).toBe(route.role !== 'guest');
  },
);

test('the creation of an appointment needs a tier, as the specification says, and no other route', () => {
  const paid = all.filter(({ tier }) => tier !== undefined);
  expect(paid.map(({ method, path, tier }) => `${method} ${path} ${tier}`)).toEqual(['POST /appointments starter']);
});

test('no two routes share method and path', () => {
  const places = all.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
  expect(new Set(places).size).toBe(places.length);
});

test.each(all)('$method $path has the path parameters of its operation', ({ path, operation }) => {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  expect(inPath).toEqual(Object.keys(operation.request.params?.properties ?? {}));
});

/** These change nothing. They are POST, not GET, because they have a body. */
const readingPosts = ['crm.api.agents.select'];

test.each(routes.filter(({ scope }) => scope !== null))(
  '$method $path has a scope that matches whether it reads or writes',
  (route) => {
    const reads = route.method === 'GET' || readingPosts.includes(route.operation.subject);
    expect(route.scope).toMatch(reads ? /:read$/ : /:write$/);
  },
);

test.each(all)(
  '$method $path has a body only if its method allows one, and every PUT and PATCH has one',
  ({ method, operation }) => {
    const hasBody = operation.request.body !== undefined;
    if (method === 'GET' || method === 'DELETE') expect(hasBody).toBe(false);
    if (method === 'PUT' || method === 'PATCH') expect(hasBody).toBe(true);
  },
);

test.each(all.filter(({ method }) => method === 'PATCH'))(
  '$method $path has no defaults, which would change members that a request leaves out',
  ({ operation }) => {
    const members = Object.entries(operation.request.body?.properties ?? {}) as [string, { default?: unknown }][];
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter(([, member]) => member.default !== undefined)).toEqual([]);
  },
);

test('an answer 201 has a `Location` whenever what it creates can be read there', () => {
  const created = routes.filter(({ method, status }) => method === 'POST' && status === 201);
  const without = created.filter(({ located }) => !located).map(({ path }) => path);
  // These have no GET.
  expect(without.sort()).toEqual(['/agents/:agentId/evals', '/availability/holds']);
  const readable = new Set(
    routes.filter(({ method }) => method === 'GET').map(({ path }) => path.replaceAll(/:\w+/g, ':')),
  );
  for (const { path, operation, located } of [...routes, ...personRoutes, ...accountRoutes]) {
    if (!located || operation.http?.status === 202) continue;
    expect(readable).toContain(`${path.replaceAll(/:\w+/g, ':')}/:`);
    expect(operation.reply.properties).toHaveProperty('id');
  }
  expect(accountRoutes.filter(({ located }) => located)).toEqual([]);
});
