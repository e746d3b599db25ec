import { disconnectEmbedder } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';

export const disconnectEmbedderCommand = (admin: Admin): Command =>
  verb(
    'disconnect',
    'Disconnect the embedder of a store and delete its key and the vectors; searches find words only',
    ['embedder disconnect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'],
  )
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const done = await callForStore(admin, disconnectEmbedder, {}, options.store);
      printResult(admin, options, done, () => 'The store has no embedder now.');
    });
