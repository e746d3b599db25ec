import { expect, test } from 'vitest';
import { createAllowedMethods } from './allowed-methods.ts';

const allowed = createAllowedMethods();
allowed.add('/v1/appointments', 'POST');
allowed.add('/v1/appointments', ['GET', 'HEAD']);
allowed.add('/v1/appointments/:id', 'PATCH');
allowed.add('/v1/appointments/:id/calendar-sync', 'GET');
allowed.add('/v1/appointments/book', 'POST');
allowed.add('/docs/static/*', 'GET');
allowed.add('/docs/static/index.html', 'HEAD');

test.each([
  ['/v1/appointments', ['GET', 'HEAD', 'POST']],
  ['/v1/appointments/7', ['PATCH']],
  ['/v1/%61ppointments/a%2Fb', ['PATCH']],
  ['/v1/appointments/7/calendar-sync', ['GET']],
  ['/docs/static/a/b.css', ['GET']],
  ['/v1/appointments/book', ['POST']],
  ['/docs/static/index.html', ['HEAD']],
  ['/v1/appointments/', []],
  ['/v1/appointments/7/other', []],
  ['/v1', []],
  ['/', []],
  ['/v1/%ZZ', []],
])('%s allows %j', (path, methods) => {
  expect(allowed.of(path)).toEqual(methods);
});

test.each([
  ['/v1/appointments', '/v1/appointments'],
  ['/v1/appointments/7', '/v1/appointments/{id}'],
  ['/v1/appointments/book', '/v1/appointments/book'],
  ['/v1/nothing', undefined],
])('the pattern of %s is %s', (path, pattern) => {
  expect(allowed.patternOf(path)).toBe(pattern);
});

test.each([
  ['/v1/appointments/:id', '/v1/appointments/book', true],
  ['/v1/appointments/:id', '/v1/appointments/b%6fok', true],
  ['/v1/appointments/:id', '/v1/appointments/7', false],
  ['/v1/appointments/book', '/v1/appointments/book', false],
  ['/v1/appointments/:id/calendar-sync', '/v1/appointments/book/calendar-sync', false],
  ['/docs/static/*', '/docs/static/index.html', true],
  ['/docs/static/*', '/docs/static/a.css', false],
])('for the pattern %s, the path %s belongs to a more specific one: %s', (pattern, path, expected) => {
  expect(allowed.isOfAnother(pattern, path)).toBe(expected);
});
