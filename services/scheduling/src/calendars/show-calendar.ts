import type { showCalendar as operation } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth } from '@mostrador/kit/resilience/wait-reason';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { countUnsettledSyncs } from '../calendar-sync/sync.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findShowsCustomer } from './calendar-settings.repository.ts';
import { findConnection } from './connection.repository.ts';
import { openFeedToken } from './credentials.ts';
import { feedUrl } from './feed/token.ts';
import { targetOf } from './providers.ts';

export const showCalendar =
  ({ database, vault, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { storeId } = context;
    return await database.read(context, async (sql) => {
      const [connection, show_customer] = await Promise.all([
        findConnection(sql, storeId),
        findShowsCustomer(sql, storeId),
      ]);
      if (!connection) return { ...notConnected, show_customer };
      const [unsettled, outage] = await Promise.all([
        countUnsettledSyncs(sql, storeId, connection.id),
        findOutage(sql, targetOf(connection).origin),
      ]);
      const { last_error_code: code, last_error_detail: detail } = connection;
      const token = openFeedToken(vault, storeId, connection.sealed_feed_token);
      return {
        provider: connection.provider,
        ...toConnectionHealth(connection.status, outage),
        url: connection.settings.url ?? null,
        username: connection.settings.username ?? null,
        calendar_id: connection.settings.calendar_id ?? null,
        last_error: code === null ? null : `${code}: ${detail}`,
        connected_at: toTimestamp(connection.connected_at),
        feed_url: token === undefined ? null : feedUrl(publicUrl, token),
        show_customer,
        appointments_pending: unsettled.pending,
        appointments_needing_attention: unsettled.needs_attention,
      };
    });
  };

const notConnected = {
  provider: null,
  status: 'not_connected' as const,
  reason: null,
  url: null,
  username: null,
  calendar_id: null,
  last_error: null,
  connected_at: null,
  feed_url: null,
  appointments_pending: 0,
  appointments_needing_attention: 0,
};
