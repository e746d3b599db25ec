import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { readPreconditions } from './preconditions.ts';

const read = (route: Route, headers: Record<string, string>) => {
  const faults: object[] = [];
  return { ...readPreconditions(route, headers, faults as never), faults };
};
const fault = (name: string, detail = 'is not supported by this operation') => ({ in: 'header', name, detail });

test('these operations take If-Match, and only the one that creates or changes takes If-None-Match: *', () => {
  const taking = (header: string, value: string) =>
    routes
      .filter(({ method }) => method !== 'GET')
      .filter((route) => read(route, { [header]: value }).faults.length === 0)
      .map(({ method, path }) => `${method} ${path}`);
  expect(taking('if-match', '"v1"').toSorted()).toEqual([
    'DELETE /followups/scheduled/:followupId',
    'DELETE /sellers/:sellerId',
    'DELETE /services/:serviceId',
    'DELETE /webhooks/endpoints/:endpointId',
    'PATCH /appointments/:appointmentId',
    'PATCH /followups/scheduled/:followupId',
    'PATCH /leads/:leadId',
    'PATCH /sellers/:sellerId',
    'PATCH /services/:serviceId',
    'PATCH /webhooks/endpoints/:endpointId',
    'PUT /booking/rules',
    'PUT /leads/by-phone/:phone',
  ]);
  expect(taking('if-none-match', '*')).toEqual(['PUT /leads/by-phone/:phone']);
});

test('every PUT, PATCH and DELETE of a resource whose GET answers an ETag takes If-Match', () => {
  const versioned = routes.filter(({ method, versioned }) => method === 'GET' && versioned).map(({ path }) => path);
  const writes = routes.filter(({ method, path }) => method !== 'GET' && method !== 'POST' && versioned.includes(path));
  expect(writes.length).toBeGreaterThan(5);
  for (const route of writes) expect(read(route, { 'if-match': '"v1"' })).toEqual({ ifMatch: '"v1"', faults: [] });
});

test.each(routes)('$method $path forwards a precondition or names it as a fault, and never ignores it', (route) => {
  const ifMatch = read(route, { 'if-match': '"v1"' });
  expect(ifMatch).toEqual(
    ifMatch.faults.length > 0 ? { faults: [fault('If-Match')] } : { ifMatch: '"v1"', faults: [] },
  );
  const ifNoneMatch = read(route, { 'if-none-match': '*' });
  // The gateway compares the one of a GET with the answer.
  if (route.method === 'GET') expect(ifNoneMatch).toEqual({ faults: [] });
  else
    expect(ifNoneMatch).toEqual(
      ifNoneMatch.faults.length > 0 ? { faults: [fault('If-None-Match')] } : { ifNoneMatch: '*', faults: [] },
    );
});

test('If-None-Match of the PUT that takes it is * alone, and without If-Match', () => {
  const put = routes.find(({ path }) => path === '/leads/by-phone/:phone') as Route;
  expect(read(put, { 'if-none-match': ' * ' }).faults).toEqual([]);
  for (const value of ['"v1"', '*, *', '']) {
    expect(read(put, { 'if-none-match': value })).toEqual({
      faults: [fault('If-None-Match', 'must be * in this operation')],
    });
  }
  expect(read(put, { 'if-none-match': '*', 'if-match': '"v1"' }).faults).toEqual([
    fault('If-None-Match', 'cannot be combined with If-Match'),
  ]);
});
