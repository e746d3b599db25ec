import { connectModel, modelProviders } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';

export const connectModelCommand = (admin: Admin): Command =>
  verb('connect', 'Connect the model that answers for a store; demo needs no account, and is for trying the product', [
    'ai connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider demo',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${modelProviders.join(' or ')} (required)`)
    .action(async (options: { store?: string; provider?: string; json?: boolean }) => {
      const request = checked(connectModel, { provider: options.provider }, {});
      const connected = await callForStore(admin, connectModel, request, options.store);
      printResult(
        admin,
        options,
        connected,
        ({ provider }) => `The store has the model ${provider}. It answers while \`store update --ai\` is on.`,
      );
    });
