import { expect, test } from 'vitest';
import { createAllowedMethods } from './allowed-methods.ts';

const allowed = createAllowedMethods();
allowed.add('/v1/appointments', 'POST');
allowed.add('/v1/appointments', ['GET', 'HEAD']);
allowed.add('/v1/appointments/:id', 'PATCH');
allowed.add('/v1/appointments/:id/calendar-sync', 'GET');
allowed.add('/docs/static/*', 'GET');

test.each([
  ['/v1/appointments', ['GET', 'HEAD', 'POST']],
  ['/v1/appointments/7', ['PATCH']],
  ['/v1/%61ppointments/a%2Fb', ['PATCH']],
  ['/v1/appointments/7/calendar-sync', ['GET']],
  ['/docs/static/a/b.css', ['GET']],
  ['/v1/appointments/', []],
  ['/v1/appointments/7/other', []],
  ['/v1', []],
  ['/', []],
  ['/v1/%ZZ', []],
])('%s has %j', (path, methods) => {
  expect(allowed.of(path)).toEqual(methods);
});
