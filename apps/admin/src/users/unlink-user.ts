import { unlinkUser } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown } from '../terminal.ts';

export const unlinkUserCommand = (admin: Admin): Command =>
  verb('unlink', 'Forget the account at the OpenID provider with which a person signs in; their sessions end at once', [
    'user unlink --email ana@example.com',
  ])
    .option('--email <address>', 'the email address (required)')
    .action(async (options: { email?: string; json?: boolean }) => {
      const request = checked(unlinkUser, { email: options.email });
      printResult(admin, options, await admin.platform.call(unlinkUser, request), ({ users, unlinked }) => {
        const email = shown(users[0]?.email ?? '');
        if (!unlinked) return `${email} had no account at the OpenID provider.`;
        return `${email} is unlinked. The next account with this verified address takes its place.`;
      });
    });
