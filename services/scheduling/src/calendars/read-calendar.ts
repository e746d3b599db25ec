import type { StoreCalendar } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth, toConnectionReason } from '@mostrador/kit/resilience/wait-reason';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { countUnsettledSyncs } from '../calendar-sync/sync.repository.ts';
import { toReading, withReading } from '../calendar-watch/reading.ts';
import { findReading } from '../calendar-watch/watch.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findShowsCustomer } from './calendar-settings.repository.ts';
import { findConnection } from './connection.repository.ts';
import { openFeedToken } from './credentials.ts';
import { feedUrl } from './feed/provider.ts';
import { targetOf } from './providers.ts';

/** The store's calendar without its credentials, with the last error of its connection. */
export async function readCalendar(
  { database, vault, publicUrl }: Pick<Dependencies, 'database' | 'vault' | 'publicUrl'>,
  context: StoreContext,
) {
  const { storeId } = context;
  return await database.read(context, async (sql) => {
    const [connection, show_customer] = await Promise.all([
      findConnection(sql, storeId),
      findShowsCustomer(sql, storeId),
    ]);
    if (!connection) return { ...notConnected, show_customer };
    const [unsettled, outage, [reading]] = await Promise.all([
      countUnsettledSyncs(sql, storeId, connection.id),
      findOutage(sql, targetOf(connection).origin),
      findReading(sql, storeId, connection.id),
    ]);
    const { last_error_code: code, last_error_detail: detail } = connection;
    const last_error = code === null ? null : { code, detail: detail ?? '' };
    const token = openFeedToken(vault, storeId, connection.sealed_feed_token);
    return {
      provider: connection.provider,
      ...withReading(toConnectionHealth(connection.status, outage), reading, connection.connected_at),
      refused_at: connection.refused_at,
      url: connection.settings.url ?? null,
      username: connection.settings.username ?? null,
      calendar_id: connection.settings.calendar_id ?? null,
      last_error,
      connected_at: toTimestamp(connection.connected_at),
      feed_url: token === undefined ? null : feedUrl(publicUrl, token),
      show_customer,
      ...toReading(reading),
      appointments_pending: unsettled.pending,
      appointments_failing: unsettled.failing,
      appointments_needing_attention: unsettled.needs_attention,
    };
  });
}

/** The calendar as the people of the store see it. */
export async function readStoreCalendar(
  dependencies: Pick<Dependencies, 'database' | 'vault' | 'publicUrl'>,
  context: StoreContext,
): Promise<StoreCalendar> {
  const {
    last_error,
    refused_at,
    reading_error: _,
    status,
    reason,
    ...calendar
  } = await readCalendar(dependencies, context);
  return { ...calendar, status, reason: toConnectionReason({ status, reason }, { last_error, refused_at }) };
}

const notConnected = {
  provider: null,
  status: 'not_connected' as const,
  reason: null,
  url: null,
  username: null,
  calendar_id: null,
  last_error: null,
  refused_at: null,
  connected_at: null,
  feed_url: null,
  ...toReading(undefined),
  appointments_pending: 0,
  appointments_failing: 0,
  appointments_needing_attention: 0,
};
