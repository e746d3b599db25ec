import type { UserRole } from '@mostrador/contracts';

const ranks: Readonly<Record<UserRole, number>> = { seller: 1, manager: 2, owner: 3 };

/** Whether a person with this role may do what needs another. An owner may do everything, a manager what sellers may. */
export const mayActAs = (role: UserRole, needed: UserRole): boolean => ranks[role] >= ranks[needed];
