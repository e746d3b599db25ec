import { createWebhookEndpoint } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { endpointRecord, secretText, typeList } from './webhook-text.ts';

type Options = {
  store?: string;
  url?: string;
  description?: string;
  types?: string[];
  ordering?: string;
  payload?: string;
  atOnce?: unknown;
  asymmetric?: boolean;
  json?: boolean;
};

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

export const createWebhookCommand = (admin: Admin): Command =>
  verb('create', "Send a store's events to an address; the secret is shown only once", [
    `webhook create --store ${store} --url https://erp.example.com/mostrador`,
    `webhook create --store ${store} --url https://erp.example.com/mostrador --types lead.created,lead.updated --payload thin`,
  ])
    .option('--store <id>', 'the store (required)')
    .option('--url <url>', 'where events are sent: https, port 443 or 8443, no private network (required)')
    .option('--description <text>', 'what the endpoint is for')
    .option('--types <list>', 'only events of these types, separated by commas (default: all)', typeList)
    .option('--ordering <word>', 'entity: the events of a resource in their order; none: in any (default: entity)')
    .option('--payload <word>', 'object: with the resource; thin: only ids and states (default: object)')
    .option('--at-once <count>', 'how many deliveries may run at once, 1 to 20 (default: 5)', wholeNumber)
    .option('--asymmetric', 'sign also with an ed25519 key, which the public key verifies')
    .action(async (options: Options) => {
      const { url, description, types, ordering, payload, atOnce, asymmetric } = options;
      const request = checked(
        createWebhookEndpoint,
        { url, description, event_types: types, ordering, payload, max_in_flight: atOnce, asymmetric },
        { event_types: '--types', max_in_flight: '--at-once' },
      );
      const { id: storeId } = await existingStore(admin, options.store);
      const made = await admin.platform.call(createWebhookEndpoint, request, storeId);
      printResult(admin, options, made, () => `${secretText(made.secret)}\n\n${endpointRecord(made)}`);
    });
