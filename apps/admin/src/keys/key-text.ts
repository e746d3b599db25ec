import type { ApiKey } from '@mostrador/contracts';
import { UsageError } from '../exit.ts';
import { record, shown } from '../terminal.ts';

/** Options shared by the commands that name a key. */
export const keyOption = ['--key <id>', 'the id of the key: what stands between the underscores (required)'] as const;

/** Refuses a whole key where only its id belongs: it holds the secret. */
export function refuseWholeKey(key: string | undefined): void {
  if (!key?.startsWith('mk_')) return;
  throw new UsageError([
    '--key is the id alone, the part between the underscores of mk_live_<id>_<secret>; `key list` shows it',
    'the key that you typed now stands in your shell’s history: revoke it if others can read that',
  ]);
}

/** A key as a person reads it. */
export const keyRecord = (key: ApiKey): string =>
  record({
    id: key.id,
    name: shown(key.name),
    store: key.store_id,
    scopes: key.scopes.join(', '),
    created: key.created_at,
    expires: key.expires_at,
    revoked: key.revoked_at,
    'last used': key.last_used_at,
  });

/** A new key with the one chance to copy it. */
export const newKeyText = (apiKey: string, key: ApiKey): string =>
  `${apiKey}\n\nThis is the only time that the key is shown. Send it as the header X-API-Key.\n\n${keyRecord(key)}`;
