import { deleteService } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { serviceFrom, serviceOption } from './service-text.ts';

const ids = '--store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --service 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62';

export const deleteServiceCommand = (admin: Admin): Command =>
  verb('delete', 'Delete a service permanently; its appointments stay', [`service delete ${ids}`])
    .option('--store <id>', 'the store (required)')
    .option(...serviceOption)
    .addHelpText('after', '\n`service update --active off` is often the better choice: it can be undone.')
    .action(async (options: { store?: string; service?: string; json?: boolean }) => {
      const request = { params: { serviceId: serviceFrom(options.service) } };
      const deleted = await callForStore(admin, deleteService, request, options.store);
      printResult(admin, options, deleted, ({ id }) => `Service ${id} is deleted.`);
    });
