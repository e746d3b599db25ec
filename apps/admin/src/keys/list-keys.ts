import { listApiKeys } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown, table } from '../terminal.ts';
import { creatorText } from './key-text.ts';

export const listKeysCommand = (admin: Admin): Command =>
  verb('list', "List a store's API keys, newest first; secrets are never shown", [
    'key list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const request = checked(listApiKeys, { store_id: options.store }, { store_id: '--store' });
      const listed = await admin.platform.call(listApiKeys, request);
      printResult(admin, options, listed, ({ keys }) =>
        table(
          ['ID', 'NAME', 'STATE', 'LAST USED', 'CREATED', 'CREATED BY', 'SCOPES'],
          keys.map((key) => [
            key.id,
            shown(key.name),
            stateOf(key),
            key.last_used_at ?? 'never',
            key.created_at,
            creatorText(key),
            key.scopes.join(','),
          ]),
        ),
      );
    });

/** Whether a key is valid, and until when. */
export function stateOf(key: { revoked_at: string | null; expires_at: string | null }): string {
  if (key.revoked_at) return 'revoked';
  if (key.expires_at) return Date.parse(key.expires_at) <= Date.now() ? 'expired' : `until ${key.expires_at}`;
  return 'valid';
}
