import type { UserRole } from '@mostrador/contracts/core';
import type { Context } from './context.ts';
import { AppError } from './errors.ts';

const ranks: Readonly<Record<UserRole, number>> = { seller: 1, manager: 2, owner: 3 };

/** Whether a person with this role may do what needs another. An owner may do everything, a manager what sellers may. */
export const mayActAs = (role: UserRole, needed: UserRole): boolean => ranks[role] >= ranks[needed];

/** Throws `role_required` unless the caller is a person with at least this role. */
export function requireRole({ person }: Pick<Context, 'person'>, needed: UserRole): void {
  if (!person || !mayActAs(person.role, needed)) throw roleRequired(needed);
}

/** The handler, for people with at least this role. Others get `role_required`. */
export const onlyFor =
  <C extends Pick<Context, 'person'>, Request, Answer>(
    needed: UserRole,
    handler: (context: C, request: Request) => Answer,
  ) =>
  async (context: C, request: Request): Promise<Awaited<Answer>> => {
    requireRole(context, needed);
    return await handler(context, request);
  };

export const roleRequired = (needed: UserRole, detail?: string): AppError =>
  new AppError('role_required', { detail, members: { required_role: needed } });

/** The seller to whose leads, and those without a seller, the caller is limited. Undefined: there is no such limit. */
export const limitingSeller = ({ person }: Pick<Context, 'person'>): string | undefined =>
  person?.role === 'seller' ? (person.sellerId ?? undefined) : undefined;
