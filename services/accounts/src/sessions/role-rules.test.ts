import { type UserRole, userRoles } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { mayActAs } from './role-rules.ts';

test.each<[UserRole, UserRole[]]>([
  ['owner', ['owner', 'manager', 'seller']],
  ['manager', ['manager', 'seller']],
  ['seller', ['seller']],
])('a person who is %s may act as %j', (role, allowed) => {
  expect(userRoles.filter((needed) => mayActAs(role, needed))).toEqual(allowed);
});
