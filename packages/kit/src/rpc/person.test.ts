import { type Operation, type UserRole, userRoles } from '@mostrador/contracts/core';
import { describe, expect, test } from 'vitest';
import type { Context } from './context.ts';
import { checkRole, mayActAs } from './person.ts';

test.each<[UserRole, UserRole[]]>([
  ['owner', ['owner', 'manager', 'seller']],
  ['manager', ['manager', 'seller']],
  ['seller', ['seller']],
])('a person who is %s may act as %j', (role, allowed) => {
  expect(userRoles.filter((needed) => mayActAs(role, needed))).toEqual(allowed);
});

const operation = (access: Operation['access'], tenancy: Operation['tenancy'] = 'store') =>
  ({ access, tenancy }) as Operation;
const as = (role: UserRole): Pick<Context, 'person'> => ({
  person: { userId: 'ana', role, sellerId: role === 'seller' ? 'ana' : null },
});

describe('the role that an operation asks for', () => {
  test('is needed of everyone who calls what only people have', () => {
    const ofManagers = operation({ role: 'manager' });
    const refused = expect.objectContaining({ code: 'role_required', members: { required_role: 'manager' } });
    expect(() => checkRole(ofManagers, as('seller'))).toThrow(refused);
    expect(() => checkRole(ofManagers, {})).toThrow(refused);
    expect(() => checkRole(ofManagers, as('manager'))).not.toThrow();
    expect(() => checkRole(ofManagers, as('owner'))).not.toThrow();
  });

  test('follows from the scope for a person, and a key has none', () => {
    const ofOwners = operation({ scope: 'webhooks:write' });
    expect(() => checkRole(ofOwners, as('manager'))).toThrow(expect.objectContaining({ code: 'role_required' }));
    expect(() => checkRole(ofOwners, as('owner'))).not.toThrow();
    expect(() => checkRole(ofOwners, {})).not.toThrow();
  });

  test('is checked by accounts where the operation belongs to no store', () => {
    expect(() => checkRole(operation({ role: 'owner' }, 'none'), {})).not.toThrow();
  });
});
