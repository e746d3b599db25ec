import { disableUser } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown } from '../terminal.ts';
import { creationsText, type EndsOptions, endsOf, endsOptions } from './creations-text.ts';

export const disableUserCommand = (admin: Admin): Command =>
  verb('disable', 'Disable a person in every store; sessions, links, password and passkeys end at once', [
    'user disable --email ana@example.com',
  ])
    .option('--email <address>', 'the email address (required)')
    .option(...endsOptions[0])
    .option(...endsOptions[1])
    .action(async (options: { email?: string; json?: boolean } & EndsOptions) => {
      const request = checked(disableUser, { email: options.email, ...endsOf(options) });
      const disabled = await admin.platform.call(disableUser, request);
      printResult(admin, options, disabled, ({ users, ended_sessions, ...creations }) => {
        const stores = users.map(({ store_id }) => store_id).join(', ');
        return `${shown(users[0]?.email ?? '')} is disabled in ${stores}. Sessions that ended: ${ended_sessions}.${creationsText(creations)}`;
      });
    });
