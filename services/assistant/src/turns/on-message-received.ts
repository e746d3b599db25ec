import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findSettingsIfOn } from '../settings/settings.repository.ts';
import type { TurnStarter } from './start-due.ts';
import { takeIn } from './take-in.ts';

/**
 * Opens a turn for a message of a lead, or adds the message to the open one. Idempotent, in any order and after any delay.
 * A store without AI costs one look-up. What a lead writes to another agent of the number opens none.
 */
export const onMessageReceived =
  ({ database, starter }: Pick<Dependencies, 'database'> & { readonly starter: Pick<TurnStarter, 'expect'> }) =>
  async (event: EventOf<'messaging.message.received'>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId, data } = event;
    if (data.on_standby) return;
    const scope = { storeId, deadline };
    const [settings] = await database.lookUp(scope, (sql) => findSettingsIfOn(sql, storeId));
    if (!settings) return;
    const at = toInstant(data.received_at);
    // People have what came before.
    if (settings.ai_since && at < settings.ai_since) return;
    const dueAt = await database.write(scope, (sql) =>
      takeIn(sql, storeId, { lead_id: data.lead_id, first_received_at: at, last_received_at: at }, settings),
    );
    if (dueAt) starter.expect(dueAt);
  };
