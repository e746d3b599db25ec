import { createLoginLink } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { loginLinkText } from './user-text.ts';

type Options = { store?: string; email?: string; json?: boolean };

export const createLoginLinkCommand = (admin: Admin): Command =>
  verb('login-link', 'Print a login link for a person; it works once, within an hour', [
    'user login-link --email ana@example.com',
  ])
    .option('--email <address>', 'the email address (required)')
    .option('--store <id>', 'the store; required when the person is in several')
    .action(async (options: Options) => {
      const body = { email: options.email, store_id: options.store };
      const request = checked(createLoginLink, body, { store_id: '--store' });
      printResult(admin, options, await admin.platform.call(createLoginLink, request), loginLinkText);
    });
