import type { StoreContext } from '@mostrador/kit/rpc/context';
import { lockRules } from '../booking/rules.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { keepReminders } from './keep-reminders.ts';
import { hasReminders, lockComingAfter } from './reminder.repository.ts';

/** Few, because bookings of the store wait for each transaction. */
const batch = 50;
const beforeAnyId = '00000000-0000-0000-0000-000000000000';

/**
 * Gives every coming appointment the reminders of the current rules. Each batch is a transaction. Idempotent. After a
 * crash a removed reminder is still not sent, because its step reads the rules, and setting the rules again completes it.
 */
export async function remindComing(
  { database, relay }: Pick<Dependencies, 'database' | 'relay'>,
  context: StoreContext,
): Promise<void> {
  const { storeId } = context;
  if (!(await database.read(context, (sql) => hasReminders(sql, storeId)))) return;
  for (let after: string | undefined = beforeAnyId; after !== undefined; ) {
    const from: string = after;
    after = await database.write(context, async (sql) => {
      const [, rules] = await Promise.all([lockCalendarConnection(sql, storeId), lockRules(sql, storeId)]);
      if (!rules) return undefined;
      const rows = await lockComingAfter(sql, storeId, from, batch);
      await keepReminders(
        sql,
        rules,
        rows.map((row) => ({ row })),
      );
      return rows.length < batch ? undefined : rows.at(-1)?.id;
    });
    relay.nudge();
  }
}
