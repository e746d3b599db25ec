import { listStoreServices } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, allPages, existingStore, printResult, verb } from '../admin.ts';
import { shown, table } from '../terminal.ts';
import { minutesText, sellersText } from './service-text.ts';

export const listServicesCommand = (admin: Admin): Command =>
  verb('list', "List a store's services, active and inactive, oldest first", [
    'service list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const { id: storeId } = await existingStore(admin, options.store);
      const services = await allPages((page) => admin.platform.call(listStoreServices, { query: page }, storeId));
      printResult(admin, options, { services }, () =>
        table(
          ['ID', 'ACTIVE', 'DURATION', 'BUFFER BEFORE', 'BUFFER AFTER', 'GIVEN BY', 'PRICE', 'NAME'],
          services.map((service) => [
            service.id,
            service.is_active ? 'yes' : 'no',
            `${service.duration_minutes} minutes`,
            minutesText(service.buffer_before_minutes),
            minutesText(service.buffer_after_minutes),
            sellersText(service),
            shown(service.price_text ?? '-'),
            shown(service.name),
          ]),
        ),
      );
    });
