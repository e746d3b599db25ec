import { createService } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { addServiceOptions, type ServiceOptions, serviceMembers, serviceOptionNames } from './service-options.ts';
import { serviceRecord } from './service-text.ts';

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

export const createServiceCommand = (admin: Admin): Command =>
  addServiceOptions(
    verb('create', 'Create a service that customers book', [
      `service create --store ${store} --name "Eye test" --minutes 45 --price "R$ 80"`,
      `service create --store ${store} --name "Eye test" --minutes 45 --sellers 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f63`,
    ])
      .option('--store <id>', 'the store (required)')
      .option('--name <name>', 'what it is (required)')
      .option('--minutes <n>', 'how long it takes, 1 to 1440 (required)', wholeNumber),
  ).action(async (options: ServiceOptions & { store?: string; json?: boolean }) => {
    const request = checked(createService, serviceMembers(options), serviceOptionNames);
    printResult(admin, options, await callForStore(admin, createService, request, options.store), serviceRecord);
  });
