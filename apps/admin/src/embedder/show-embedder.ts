import { showEmbedder } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { record, shown } from '../terminal.ts';

const waitsForBudget =
  'budget_reached: the passages wait until the next day, in UTC, or until the budget is raised; no passage has failed';

export const showEmbedderCommand = (admin: Admin): Command =>
  verb('show', 'Show the embedder of a store, and how many of its passages have vectors; the key is never shown', [
    'embedder show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const found = await callForStore(admin, showEmbedder, {}, options.store);
      printResult(admin, options, found, ({ embedder, index }) =>
        embedder === null
          ? 'The store has no embedder: searches find words only. Connect one with `embedder connect`.'
          : record({
              ...{ model: shown(embedder.model), url: shown(embedder.url), connected: embedder.connected_at },
              passages: index && `${index.indexed} of ${index.passages} have vectors`,
              failure: index?.failure === 'budget_reached' ? waitsForBudget : (index?.failure ?? null),
              next_attempt: index?.next_attempt_at ?? null,
            }),
      );
    });
