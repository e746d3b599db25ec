import { listWebhookEndpoints } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { shown, table } from '../terminal.ts';
import { creatorText, stateOf, typesText } from './webhook-text.ts';

export const listWebhooksCommand = (admin: Admin): Command =>
  verb('list', "List a store's webhook endpoints, oldest first; secrets are never shown", [
    'webhook list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const { id: storeId } = await existingStore(admin, options.store);
      // A store has at most 10, fewer than a page.
      const { data } = await admin.platform.call(listWebhookEndpoints, { query: {} }, storeId);
      printResult(admin, options, { endpoints: data }, ({ endpoints }) =>
        table(
          ['ID', 'STATUS', 'PENDING', 'FAILING SINCE', 'LAST SUCCESS', 'CREATED BY', 'TYPES', 'URL'],
          endpoints.map((endpoint) => [
            endpoint.id,
            stateOf(endpoint),
            String(endpoint.health.pending),
            endpoint.health.failing_since ?? '-',
            endpoint.health.last_success_at ?? 'never',
            creatorText(endpoint),
            typesText(endpoint.event_types),
            shown(endpoint.url),
          ]),
        ),
      );
    });
