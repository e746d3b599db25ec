import { getService } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { serviceFrom, serviceOption, serviceRecord } from './service-text.ts';

export const showServiceCommand = (admin: Admin): Command =>
  verb('show', 'Show a service', [
    'service show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --service 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62',
  ])
    .option('--store <id>', 'the store (required)')
    .option(...serviceOption)
    .action(async (options: { store?: string; service?: string; json?: boolean }) => {
      const request = { params: { serviceId: serviceFrom(options.service) } };
      printResult(admin, options, await callForStore(admin, getService, request, options.store), serviceRecord);
    });
