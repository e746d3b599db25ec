import { disconnectModels, modelProviders } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';

export const disconnectModelCommand = (admin: Admin): Command =>
  verb('disconnect', 'Disconnect the models of a store and delete their keys; without a model the AI answers no lead', [
    'ai disconnect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
    'ai disconnect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider openai',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${modelProviders.join(' or ')} (default: all of them)`)
    .action(async (options: { store?: string; provider?: string; json?: boolean }) => {
      const request = checked(disconnectModels, { provider: options.provider });
      const done = await callForStore(admin, disconnectModels, request, options.store);
      printResult(admin, options, done, () =>
        options.provider === undefined ? 'The store has no model now.' : 'The model is disconnected.',
      );
    });
