import { listUsers } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown, table } from '../terminal.ts';

export const listUsersCommand = (admin: Admin): Command =>
  verb('list', "List a store's people by email", ['user list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const request = checked(listUsers, { store_id: options.store }, { store_id: '--store' });
      const listed = await admin.platform.call(listUsers, request);
      printResult(admin, options, listed, ({ users }) =>
        table(
          ['EMAIL', 'NAME', 'ROLE', 'STATE', 'SINCE', 'ID'],
          users.map((user) => [
            shown(user.email),
            shown(user.name),
            user.role,
            user.disabled_at === null ? 'active' : `disabled ${user.disabled_at}`,
            user.created_at,
            user.id,
          ]),
        ),
      );
    });
