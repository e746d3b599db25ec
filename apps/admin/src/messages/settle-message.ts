import { settleMessage } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { record } from '../terminal.ts';

type Options = { store?: string; message?: string; as?: string; json?: boolean };

export const settleMessageCommand = (admin: Admin): Command =>
  verb('settle', 'Record the outcome of a message whose outcome is unknown, after you have checked it', [
    'message settle --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 \\\n      --message 0198f2a1-77aa-7c31-8d02-5f4e3d2c1b0a --as sent',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--message <id>', 'the message (required)')
    .option('--as <outcome>', 'sent: the customer got it; failed: the customer did not (required)')
    .action(async (options: Options) => {
      const body = { message_id: options.message, status: options.as };
      const request = checked(settleMessage, body, { message_id: '--message', status: '--as' });
      const message = await callForStore(admin, settleMessage, request, options.store);
      printResult(admin, options, message, () =>
        record({ message: message.id, lead: message.lead_id, status: message.status }),
      );
    });
