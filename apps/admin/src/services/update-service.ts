import { updateService } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { addServiceOptions, type ServiceOptions, serviceMembers, serviceOptionNames } from './service-options.ts';
import { serviceFrom, serviceOption, serviceRecord } from './service-text.ts';

const example = '--store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --service 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62';

export const updateServiceCommand = (admin: Admin): Command =>
  addServiceOptions(
    verb('update', 'Change a service; what is not given stays, and so do appointments that exist', [
      `service update ${example} --minutes 60 --buffer-after rules`,
      `service update ${example} --active off`,
    ])
      .option('--store <id>', 'the store (required)')
      .option(...serviceOption)
      .option('--name <name>', 'what it is')
      .option('--minutes <n>', 'how long it takes, 1 to 1440', wholeNumber),
  ).action(async (options: ServiceOptions & { store?: string; service?: string; json?: boolean }) => {
    const serviceId = serviceFrom(options.service);
    const members = serviceMembers(options);
    if (Object.values(members).every((value) => value === undefined)) {
      throw new UsageError([
        'give at least one of --name, --minutes, --buffer-before, --buffer-after, --sellers, --price or --active',
      ]);
    }
    const request = checked(updateService, members, serviceOptionNames, { serviceId });
    printResult(admin, options, await callForStore(admin, updateService, request, options.store), serviceRecord);
  });
