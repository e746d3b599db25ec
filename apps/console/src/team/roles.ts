import type { Session } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

export type Role = Session['role'];

export const roleWords: Record<Role, () => string> = {
  owner: m.role_owner,
  manager: m.role_manager,
  seller: m.role_seller,
};

/** What a person with the role may do. */
export const roleHints: Record<Role, () => string> = {
  owner: m.team_owner_hint,
  manager: m.team_manager_hint,
  seller: m.team_seller_hint,
};

export const roles = Object.keys(roleWords) as Role[];
export const roleOf = (text: unknown): Role => roles.find((role) => role === text) ?? 'seller';
