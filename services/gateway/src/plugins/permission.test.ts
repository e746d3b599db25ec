import { type Scope, tiers } from '@mostrador/contracts';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import type { ApiRoute } from '../routes/route.ts';
import { addPermission, refusal } from './permission.ts';

const route = { tier: 'starter', scope: 'appointments:write' } as const;

test.each([
  ['free', 'tier_required'],
  ['starter', undefined],
  ['pro', undefined],
  ['enterprise', undefined],
] as const)('a store of tier %s on a route that needs starter gets the error %s', (tier, code) => {
  expect(refusal(route, { tier, scopes: new Set(['appointments:write']) })?.code).toBe(code);
});

test('the tier error names both tiers and comes before the scope error', () => {
  const refused = refusal(route, { tier: 'free', scopes: new Set() });
  expect(refused?.members).toEqual({ required_tier: 'starter', current_tier: 'free' });
});

test('the scope error names the missing scope, whatever the tier', () => {
  for (const tier of tiers) {
    const refused = refusal({ scope: 'leads:read' }, { tier, scopes: new Set(['leads:write', 'appointments:read']) });
    expect(refused?.code).toBe('scope_required');
    expect(refused?.members).toEqual({ required_scope: 'leads:read' });
  }
});

test('a route with a second scope needs both, and the error names the missing one', () => {
  const both = { scope: 'agents:write', alsoScope: 'messages:read' } as const;
  const refusedWith = (...scopes: Scope[]) => refusal(both, { tier: 'pro', scopes: new Set(scopes) })?.members;
  expect(refusedWith('agents:write', 'messages:read')).toBeUndefined();
  expect(refusedWith('agents:write')).toEqual({ required_scope: 'messages:read' });
  expect(refusedWith('messages:read')).toEqual({ required_scope: 'agents:write' });
});

test.each(['POST /ai/replay', 'GET /agents/:agentId/evals', 'POST /agents/:agentId/evals/run'])(
  'what shows texts of leads needs the scope that reads messages: %s',
  (shown) => {
    const route = routes.find(({ method, path }) => `${method} ${path}` === shown) as ApiRoute;
    const scopes = new Set(['agents:read', 'agents:write'] as const);
    expect(refusal(route, { tier: 'enterprise', scopes })?.members).toEqual({ required_scope: 'messages:read' });
  },
);

test('a route that declares no scope stops the start, and a request for it would find no route', async () => {
  const app = fastify();
  app.get('/before', async () => 'open');
  addPermission(app);
  expect(() => app.get('/forgotten', async () => 'open')).toThrow('the route GET /forgotten declares no scope');
  await app.ready();
  expect((await app.inject('/before')).json().code).toBe('route_not_found');
  await app.close();
});
