import type { createLoginLink, ReplyOf, StoreUser } from '@mostrador/contracts';
import { record, shown } from '../terminal.ts';

/** A person in a store, as a person reads it. */
const userRecord = (user: StoreUser): string =>
  record({
    id: user.id,
    name: shown(user.name),
    email: shown(user.email),
    store: user.store_id,
    role: user.role,
    seller: user.seller_id,
    disabled: user.disabled_at,
  });

/** A login link, which is shown only here, and whose it is. */
export const loginLinkText = ({ login_url, expires_at, user }: ReplyOf<typeof createLoginLink>): string =>
  `${login_url}\n\nThis link works once, until ${expires_at}. Give it only to this person.\n\n${userRecord(user)}`;
