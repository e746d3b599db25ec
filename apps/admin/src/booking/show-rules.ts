import { getBookingRules } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { rulesRecord } from './rules-text.ts';

export const showRulesCommand = (admin: Admin): Command =>
  verb('show', "Show a store's booking rules", ['booking show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      printResult(admin, options, await callForStore(admin, getBookingRules, {}, options.store), rulesRecord);
    });
