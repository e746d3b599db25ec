import { getWebhookEndpoint } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { endpointFrom, endpointOption, endpointRecord } from './webhook-text.ts';

export const showWebhookCommand = (admin: Admin): Command =>
  verb('show', 'Show a webhook endpoint and how its deliveries go; secrets are never shown', [
    'webhook show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --endpoint 0198c1f4-62ff-7de1-8b15-d6e7f8091a2b',
  ])
    .option('--store <id>', 'the store (required)')
    .option(...endpointOption)
    .action(async (options: { store?: string; endpoint?: string; json?: boolean }) => {
      const params = { endpointId: endpointFrom(options.endpoint) };
      const { id: storeId } = await existingStore(admin, options.store);
      const endpoint = await admin.platform.call(getWebhookEndpoint, { params }, storeId);
      printResult(admin, options, endpoint, endpointRecord);
    });
