import { rotateWebhookSecret } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { endpointFrom, endpointOption, secretText } from './webhook-text.ts';

const example =
  'webhook rotate --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --endpoint 0198c1f4-62ff-7de1-8b15-d6e7f8091a2b';

export const rotateWebhookCommand = (admin: Admin): Command =>
  verb('rotate', 'Replace the secret of a webhook endpoint; the old one stays valid during the overlap', [
    example,
    `${example} --overlap 0`,
  ])
    .option('--store <id>', 'the store (required)')
    .option(...endpointOption)
    .option('--overlap <hours>', 'how long the old secret stays valid, 0 to 168 (default: 24)', wholeNumber)
    .action(async (options: { store?: string; endpoint?: string; overlap?: unknown; json?: boolean }) => {
      const params = { endpointId: endpointFrom(options.endpoint) };
      const names = { overlap_hours: '--overlap' };
      const request = checked(rotateWebhookSecret, { overlap_hours: options.overlap }, names, params);
      const { id: storeId } = await existingStore(admin, options.store);
      const rotated = await admin.platform.call(rotateWebhookSecret, request, storeId);
      const { secret, public_key, previous_valid_until } = rotated;
      const keyLine = public_key === null ? '' : `\nThe new public key is ${public_key}.`;
      printResult(
        admin,
        options,
        rotated,
        () => `${secretText(secret)}\n\nThe old secret works until ${previous_valid_until}.${keyLine}`,
      );
    });
