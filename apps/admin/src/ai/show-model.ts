import { type AiBudget, showModels } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { record, shown } from '../terminal.ts';

export const showModelCommand = (admin: Admin): Command =>
  verb('show', 'Show which models answer for a store, the default first; keys are never shown', [
    'ai show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const models = await callForStore(admin, showModels, {}, options.store);
      printResult(admin, options, models, ({ data, budget }) =>
        data.length === 0
          ? 'The store has no model. Connect one with `ai connect`.'
          : [
              ...data.map(({ provider, model, url, connected_at, failure }) =>
                record({
                  ...{ provider, model: model && shown(model), url: url && shown(url), connected: connected_at },
                  failing: failure && `${failure.kind}, ${failure.times} times, last at ${failure.at}`,
                }),
              ),
              ...(budget ? [record(today(budget))] : []),
            ].join('\n\n'),
      );
    });

const today = ({ day, calls, most_calls, spent, most_spent, tokens, most_tokens, currency, reached_at }: AiBudget) => ({
  today: day,
  calls: `${calls} of ${most_calls}`,
  spent: spent === null ? null : `${spent}${most_spent === null ? '' : ` of ${most_spent}`} ${currency}`,
  tokens: most_tokens === null ? tokens : `${tokens} of ${most_tokens}`,
  'used up since': reached_at,
});
