import { type Operation, type PersonAccess, roleFor, type UserRole } from '@mostrador/contracts/core';
import type { Context, Person } from './context.ts';
import { AppError } from './errors.ts';

const ranks: Readonly<Record<UserRole, number>> = { seller: 1, manager: 2, owner: 3 };

/** Whether a person with this role may do what needs another. An owner may do everything, a manager what sellers may. */
export const mayActAs = (role: UserRole, needed: UserRole): boolean => ranks[role] >= ranks[needed];

/** Throws `role_required` unless the caller is a person with at least this role. */
export function requireRole(person: Pick<Person, 'role'> | undefined, needed: PersonAccess['role']): void {
  if (needed !== 'guest' && !(person && mayActAs(person.role, needed))) throw roleRequired(needed);
}

/**
 * Throws `role_required` unless the caller's role is enough for the operation. A key has no role: the gateway checks its
 * scope. Operations without a store are those of accounts, which learns the role from the session.
 */
export function checkRole({ access, tenancy }: Operation, { person }: Pick<Context, 'person'>): void {
  if (access === undefined || access === 'platform' || tenancy === 'none') return;
  if (person !== undefined || !('scope' in access)) requireRole(person, roleFor(access));
}

export const roleRequired = (needed: UserRole, detail?: string): AppError =>
  new AppError('role_required', { detail, members: { required_role: needed } });

/** The seller to whose leads, and those without a seller, the caller is limited. Undefined: there is no such limit. */
export const limitingSeller = ({ person }: Pick<Context, 'person'>): string | undefined =>
  person?.role === 'seller' ? (person.sellerId ?? undefined) : undefined;
