import { tiers, updateStore } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { storeRecord } from './store-text.ts';

type Options = {
  store?: string;
  name?: string;
  tier?: string;
  timezone?: string;
  locale?: string;
  rateLimit?: unknown;
  json?: boolean;
};

export const updateStoreCommand = (admin: Admin): Command =>
  verb('update', 'Change a store; what is left out stays as it is', [
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --tier starter',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --rate-limit 1200',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --rate-limit tier',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--name <name>', 'a new name')
    .option('--tier <tier>', tiers.join(', '))
    .option('--timezone <zone>', 'IANA time zone, such as America/Sao_Paulo')
    .option('--locale <tag>', 'language tag, such as pt-BR')
    .option('--rate-limit <n>', "requests a minute for each of its keys; `tier` goes back to the tier's", (typed) =>
      typed === 'tier' ? null : wholeNumber(typed),
    )
    .action(async (options: Options) => {
      const { store, name, tier, timezone, locale, rateLimit } = options;
      const changes = { name, tier, timezone, locale, rate_limit: rateLimit };
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new UsageError(['say what to change: --name, --tier, --timezone, --locale or --rate-limit']);
      }
      const request = checked(updateStore, { store_id: store, ...changes }, { store_id: '--store' });
      printResult(admin, options, await admin.platform.call(updateStore, request), storeRecord);
    });
