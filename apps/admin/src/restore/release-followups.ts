import { releaseFollowups } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';

type Options = { store?: string; followup?: string; json?: boolean };

export const releaseFollowupsCommand = (admin: Admin): Command =>
  verb('release', 'Send follow-ups that `restore fence` holds, after you have checked that they were not sent', [
    'restore release --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 \\\n      --followup 0198f2a1-77aa-7c31-8d02-5f4e3d2c1b0a',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--followup <id>', 'one follow-up (default: all that are held in the store)')
    .action(async (options: Options) => {
      const request = checked(releaseFollowups, { followup_id: options.followup }, { followup_id: '--followup' });
      const result = await callForStore(admin, releaseFollowups, request, options.store);
      printResult(admin, options, result, ({ released }) => `released: ${released}`);
    });
