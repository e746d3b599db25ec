import { createStore, tiers } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { storeRecord } from './store-text.ts';

type Options = {
  name?: string;
  tier?: string;
  timezone?: string;
  locale?: string;
  country?: string;
  rateLimit?: unknown;
  json?: boolean;
};

export const createStoreCommand = (admin: Admin): Command =>
  verb('create', 'Create a store', [
    'store create --name "Ótica Central"',
    'store create --name "Ótica Central" --tier pro --timezone America/Sao_Paulo --locale pt-BR --json',
  ])
    .option('--name <name>', 'the name of the store (required)')
    .option('--tier <tier>', `${tiers.join(', ')} (default: free)`)
    .option('--timezone <zone>', 'IANA time zone, such as America/Sao_Paulo (default: UTC)')
    .option('--locale <tag>', 'language tag, such as pt-BR (default: en)')
    .option('--country <code>', 'ISO 3166 code, such as BR; it completes phones (default: from time zone or locale)')
    .option('--rate-limit <n>', 'requests per minute for each API key (default: the limit of the tier)', wholeNumber)
    .action(async (options: Options) => {
      const { name, tier, timezone, locale, country, rateLimit } = options;
      const request = checked(createStore, { name, tier, timezone, locale, country, rate_limit: rateLimit });
      const store = await admin.platform.call(createStore, request);
      printResult(admin, options, store, storeRecord);
    });
