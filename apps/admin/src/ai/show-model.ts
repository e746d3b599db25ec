import { showModel } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { record } from '../terminal.ts';

export const showModelCommand = (admin: Admin): Command =>
  verb('show', 'Show which model answers for a store', ['ai show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const model = await callForStore(admin, showModel, {}, options.store);
      printResult(admin, options, model, () => record({ provider: model.provider, connected: model.connected_at }));
    });
