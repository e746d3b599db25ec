import { OneOf } from './common.ts';

/** What a key may do. A key has all scopes unless it was created with fewer. */
export const scopes = [
  'agents:read',
  'agents:write',
  'appointments:read',
  'appointments:write',
  'booking:read',
  'booking:write',
  'events:read',
  'followups:read',
  'followups:write',
  'knowledge:read',
  'knowledge:write',
  'leads:read',
  'leads:write',
  'messages:read',
  'messages:write',
  'reports:read',
  'sellers:read',
  'sellers:write',
  'store:read',
  'templates:read',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof scopes)[number];
export const ScopeWord = OneOf(scopes, { title: 'Scope', description: 'What a key may do.' });

/** Store tiers, lowest first. */
export const tiers = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
export const StoreTier = OneOf(tiers, { title: 'StoreTier', description: 'The plan of the store, lowest first.' });

/** What a person may do in a store, highest first. An owner may do everything, a manager what sellers may. */
export const userRoles = ['owner', 'manager', 'seller'] as const;
export type UserRole = (typeof userRoles)[number];
export const UserRoleWord = OneOf(userRoles, {
  title: 'UserRole',
  description: 'What the person may do in the store.',
});

/** Who may call an operation of the integrations API: a key with the scope, and a person whose role has it. */
export type KeyAccess = {
  /** Null: every key, and no person. */
  readonly scope: Scope | null;
  /** A second scope that a key needs, because the answer shows what only this one may read. */
  readonly alsoScope?: Scope;
  /** The lowest role of a person, when it is higher than that of the scope. */
  readonly lowestRole?: UserRole;
  /** The lowest tier of the store. Undefined: every tier. */
  readonly tier?: Tier;
  /** As in `PersonAccess`, for a person who calls it. */
  readonly audited?: PersonAccess['audited'];
};

/** Who may call an operation that only people have. */
export type PersonAccess = {
  /** The lowest role. `guest`: it needs no session. A token in the request may take its place. */
  readonly role: UserRole | 'guest';
  /**
   * The members of the body that the audit log shows. `false`: the log has no entry. Default: the names of the members
   * that a PATCH gives. Accounts writes its own entries, so its operations have none here.
   */
  readonly audited?: false | readonly string[];
};

/** `platform`: only the platform itself calls it: the gateway, a service, or the operator's command. */
export type Access = KeyAccess | PersonAccess | 'platform';

const ofSellers: readonly Scope[] = [
  'agents:read',
  'appointments:read',
  'appointments:write',
  'booking:read',
  'followups:read',
  'followups:write',
  'knowledge:read',
  'leads:read',
  'leads:write',
  'messages:read',
  'messages:write',
  'sellers:read',
  'store:read',
  'templates:read',
];
const ofOwnersOnly: readonly Scope[] = ['webhooks:write'];

/**
 * The lowest role of a person who may call the operation. What the platform calls needs none, and what only keys call has
 * no path for people.
 */
export function roleFor(access: Access): PersonAccess['role'] {
  if (access === 'platform') return 'guest';
  if ('role' in access) return access.role;
  const { scope, lowestRole } = access;
  if (lowestRole) return lowestRole;
  if (scope === null) return 'owner';
  if (ofSellers.includes(scope)) return 'seller';
  return ofOwnersOnly.includes(scope) ? 'owner' : 'manager';
}
