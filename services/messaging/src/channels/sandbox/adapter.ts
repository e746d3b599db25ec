import type { Database } from '@mostrador/kit/database/database';
import { type ChannelAdapter, ChannelError } from '../channel-provider.ts';
import { insertDelivery } from './sandbox.repository.ts';

const writeLimitMs = 5_000;

/** Stores each message for the sandbox page. A duplicate changes nothing. */
export function createSandboxAdapter(database: Database, storeId: string, channelId: string): ChannelAdapter {
  return {
    async send({ id, to, text, template }) {
      const body = template ? `[${template.name}] ${text}` : text;
      const scope = { storeId, deadline: Date.now() + writeLimitMs };
      try {
        await database.write(scope, (sql) => insertDelivery(sql, storeId, { id, channelId, phone: to, body }));
      } catch (cause) {
        // A retry is safe even if the row was written, because a duplicate changes nothing.
        const detail = 'The sandbox could not store the message.';
        throw new ChannelError('not_sent', 'sandbox_unavailable', detail, { cause });
      }
      return { providerMessageId: `sandbox.${id}`, waId: to };
    },
  };
}
