import type { ApiKey } from '@mostrador/contracts';
import { UsageError } from '../exit.ts';
import { record, shown } from '../terminal.ts';

/** The option of every command that names a key. */
export const keyOption = ['--key <id>', 'the id of the key: the part between the underscores (required)'] as const;

/** Throws UsageError for a whole key where only its id belongs, because a whole key contains the secret. */
export function refuseWholeKey(key: string | undefined): void {
  if (!key?.startsWith('mk_')) return;
  throw new UsageError([
    '--key takes only the id, the part between the underscores of mk_live_<id>_<secret>; `key list` shows it',
    "your shell's history now contains the key that you typed; revoke the key if others can read the history",
  ]);
}

/** Who created a key. */
export const creatorText = ({ created_by: by }: Pick<ApiKey, 'created_by'>): string => {
  if (!by) return 'not recorded';
  return by.kind === 'operator' ? 'operator' : shown(by.name ?? by.id ?? '');
};

/** A key as a person reads it. */
export const keyRecord = (key: ApiKey): string =>
  record({
    id: key.id,
    name: shown(key.name),
    store: key.store_id,
    scopes: key.scopes.join(', '),
    created: key.created_at,
    'created by': creatorText(key),
    expires: key.expires_at,
    revoked: key.revoked_at,
    'last used': key.last_used_at,
  });

/** A new API key in full, which is shown only here, and its record. */
export const newKeyText = (apiKey: string, key: ApiKey): string =>
  `${apiKey}\n\nThis key is shown only once. Send it in the header X-API-Key.\n\n${keyRecord(key)}`;
