import { tiers } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { refusal } from './permission.ts';

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
