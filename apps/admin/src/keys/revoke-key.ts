import { revokeApiKey } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { keyOption, keyRecord, refuseWholeKey } from './key-text.ts';

export const revokeKeyCommand = (admin: Admin): Command =>
  verb('revoke', 'Revoke an API key; every gateway rejects it within 2 seconds', ['key revoke --key 7Gq2mXw9Tz4b'])
    .option(...keyOption)
    .action(async (options: { key?: string; json?: boolean }) => {
      refuseWholeKey(options.key);
      const request = checked(revokeApiKey, { key_id: options.key }, { key_id: '--key' });
      printResult(admin, options, await admin.platform.call(revokeApiKey, request), keyRecord);
    });
