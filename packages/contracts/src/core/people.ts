import { OneOf } from './common.ts';

/** What a person may do in a store. */
export const userRoles = ['owner', 'manager', 'seller'] as const;
export type UserRole = (typeof userRoles)[number];
export const UserRoleWord = OneOf(userRoles, {
  title: 'UserRole',
  description: 'What the person may do in the store.',
});
