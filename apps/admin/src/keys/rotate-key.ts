import { rotateApiKey } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { keyOption, newKeyText, refuseWholeKey } from './key-text.ts';

export const rotateKeyCommand = (admin: Admin): Command =>
  verb('rotate', 'Replace an API key with a new one; the old key stays valid during the overlap', [
    'key rotate --key 7Gq2mXw9Tz4b',
    'key rotate --key 7Gq2mXw9Tz4b --overlap 0',
  ])
    .option(...keyOption)
    .option('--overlap <seconds>', 'how long the old key stays valid (default: 86400, a day)', wholeNumber)
    .action(async (options: { key?: string; overlap?: unknown; json?: boolean }) => {
      refuseWholeKey(options.key);
      const request = checked(
        rotateApiKey,
        { key_id: options.key, overlap_seconds: options.overlap },
        { key_id: '--key', overlap_seconds: '--overlap' },
      );
      const rotated = await admin.platform.call(rotateApiKey, request);
      printResult(
        admin,
        options,
        rotated,
        ({ api_key, key, replaced }) =>
          `${newKeyText(api_key, key)}\n\nThe old key ${replaced.id} works until ${replaced.expires_at ?? replaced.revoked_at}.`,
      );
    });
