import { type Scope, scopes, type UserRole } from '@mostrador/contracts';

const ofSellers: readonly Scope[] = [
  'agents:read',
  'appointments:read',
  'appointments:write',
  'followups:read',
  'followups:write',
  'knowledge:read',
  'leads:read',
  'leads:write',
  'messages:read',
  'messages:write',
  'sellers:read',
  'store:read',
];
const ofOwnersOnly: readonly Scope[] = ['webhooks:write'];

/** What a person with each role may do with the operations of the public API. */
export const scopesOf: Readonly<Record<UserRole, ReadonlySet<Scope>>> = {
  owner: new Set(scopes),
  manager: new Set(scopes.filter((scope) => !ofOwnersOnly.includes(scope))),
  seller: new Set(ofSellers),
};

/** The lowest role that has the scope. */
export const leastRoleWith = (scope: Scope): UserRole =>
  (['seller', 'manager'] as const).find((role) => scopesOf[role].has(scope)) ?? 'owner';
