import { type UserRole, userRoles } from '@mostrador/contracts/core';
import { expect, test } from 'vitest';
import { mayActAs } from './person.ts';

test.each<[UserRole, UserRole[]]>([
  ['owner', ['owner', 'manager', 'seller']],
  ['manager', ['manager', 'seller']],
  ['seller', ['seller']],
])('a person who is %s may act as %j', (role, allowed) => {
  expect(userRoles.filter((needed) => mayActAs(role, needed))).toEqual(allowed);
});
