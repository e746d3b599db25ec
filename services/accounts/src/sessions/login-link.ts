import type { Sql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { hasHash, loginLinkForm } from '@mostrador/kit/tokens/token';
import { findLoginLink, type LoginLinkRow } from './session.repository.ts';
import { isUsable } from './session-rules.ts';

/** The link with this token. @throws AppError `invalid_login_link` for an unknown, used, expired or ended one */
export async function requireLoginLink(sql: Sql, token: string): Promise<LoginLinkRow & { readonly id: string }> {
  const id = loginLinkForm.idOf(token);
  const link = id === undefined ? undefined : await findLoginLink(sql, id);
  if (id === undefined || !link || !hasHash(token, link.token_hash) || !isUsable(link)) {
    throw new AppError('invalid_login_link');
  }
  return { ...link, id };
}
