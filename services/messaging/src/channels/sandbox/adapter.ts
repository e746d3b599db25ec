import type { Database } from '@mostrador/kit/database/database';
import { ChannelError, type ChannelProvider } from '../channel-provider.ts';

const writeLimitMs = 5_000;

/** The demo's channel: what is sent lies on the sandbox's telephone at once. The same message twice is one message. */
export function createSandboxProvider(database: Database, storeId: string, channelId: string): ChannelProvider {
  return {
    async send({ id, to, text, template }) {
      const body = template ? `[${template.name}] ${text}` : text;
      try {
        await database.write(
          { storeId, deadline: Date.now() + writeLimitMs },
          (sql) => sql`
            insert into sandbox_deliveries (store_id, id, channel_id, customer_phone, body)
            values (${storeId}, ${id}, ${channelId}, ${to}, ${body})
            on conflict do nothing`,
        );
      } catch (cause) {
        // Whether or not it was stored, storing it again changes nothing.
        throw new ChannelError('not_sent', 'sandbox_unavailable', 'The sandbox could not store the message.', {
          cause,
        });
      }
      return { providerMessageId: `sandbox.${id}`, waId: to };
    },
  };
}
