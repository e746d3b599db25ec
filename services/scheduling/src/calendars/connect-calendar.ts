import { randomUUID } from 'node:crypto';
import type { connectCalendar as operation, RequestOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { stepLimits } from '@mostrador/kit/step/step';
import { hashToken, newAddressSecret } from '@mostrador/kit/tokens/token';
import { wakeAppointment } from '../appointments/appointment.ts';
import { dropUnsettledSyncs, requestFutureSyncs } from '../calendar-sync/sync.repository.ts';
import { endWatch } from '../calendar-watch/end-watch.ts';
import { insertWatch } from '../calendar-watch/watch.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { isSameAddress } from './caldav/addresses.ts';
import { type CalendarProvider, type OpenConnection, toCalendarError } from './calendar-provider.ts';
import {
  type ConnectionRow,
  endConnection,
  insertConnection,
  lockCalendarConnectionForUpdate,
  takeFeedToken,
} from './connection.repository.ts';
import { openFeedToken, sealCredentials, sealFeedToken } from './credentials.ts';
import { feedUrl } from './feed/provider.ts';
import { readProviders, targetOf } from './providers.ts';
import { connectionOf } from './requested-connection.ts';

// Time kept before the caller's deadline for storing the connection.
const storingMs = 2_000;

export const connectCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { token, toSync } = await connect(dependencies, context, body);
    return {
      provider: body.provider,
      status: 'connected' as const,
      feed_url: token === null ? null : feedUrl(dependencies.publicUrl, token),
      appointments_to_sync: toSync,
    };
  };

/**
 * Checks a calendar, and connects it instead of the current one. `token` is that of the address of a feed, and `toSync`
 * says how many appointments are synced to it.
 */
export async function connect(
  { database, relay, vault, openProvider, egress, circuit }: Dependencies,
  context: StoreContext,
  body: RequestOf<typeof operation>['body'],
): Promise<{ token: string | null; toSync: number }> {
  const { storeId } = context;
  const feedToken = async (sql: TransactionSql) => {
    const kept = openFeedToken(vault, storeId, await takeFeedToken(sql, storeId));
    return body.rotate || kept === undefined ? newAddressSecret() : kept;
  };
  const wanted = connectionOf(body, egress);
  const limitMs = Math.min(stepLimits.callMs, context.deadline - Date.now() - storingMs);
  await verify(() => openProvider({ storeId, ...wanted }), limitMs);
  const id = randomUUID();
  // What waits for this calendar is tried again at once, and not when its circuit would have let a call through.
  await circuit.answered(targetOf({ id, ...wanted }));

  const connection = {
    id,
    provider: wanted.provider,
    settings: wanted.settings,
    sealed_credentials: sealCredentials(vault, storeId, id, wanted.credentials),
  };
  const connected = await database.write(context, async (sql) => {
    const old = await lockCalendarConnectionForUpdate(sql, storeId);
    const ended = old ? await endWatch(sql, storeId, old) : [];
    if (old) await endConnection(sql, storeId, old.id);
    const token = wanted.provider === 'feed' ? await feedToken(sql) : null;
    await insertConnection(sql, storeId, {
      ...connection,
      feed_token_hash: token === null ? null : hashToken(token),
      sealed_feed_token: token === null ? null : sealFeedToken(vault, storeId, token),
    });
    const isRead = readProviders.includes(wanted.provider);
    if (isRead) await insertWatch(sql, storeId, id);
    const resumed = old && isSameCalendar(old, wanted) ? old.id : undefined;
    const requested = await requestFutureSyncs(sql, storeId, id, resumed);
    // These have nothing left to do, but their workflows may still wait for a signal.
    const dropped = old ? await dropUnsettledSyncs(sql, storeId, old.id) : [];
    await appendOutbox(sql, storeId, [
      ...[...requested, ...dropped].map((appointment) => wakeAppointment(appointment, 'calendar_connected')),
      ...ended,
      ...(isRead ? [wakeWorkflow('calendarWatch', id, 'connected')] : []),
    ]);
    return { token, toSync: requested.length };
  });
  relay.nudge();
  return connected;
}

/** Whether both connections are of the same calendar, so that the events of the old one are still there. */
const isSameCalendar = (old: ConnectionRow, wanted: OpenConnection): boolean =>
  old.provider === wanted.provider &&
  old.settings.calendar_id === wanted.settings.calendar_id &&
  (['url', 'api_url'] as const).every((name) => isSameAddress(old.settings[name] ?? '', wanted.settings[name] ?? ''));

async function verify(open: () => CalendarProvider, limitMs: number): Promise<void> {
  if (limitMs <= 0) throw new AppError('upstream_timeout');
  try {
    await open().verify(AbortSignal.timeout(limitMs));
  } catch (cause) {
    const { code, detail } = toCalendarError(cause);
    throw new AppError('calendar_refused', { detail: `${code}: ${detail}`, cause });
  }
}
