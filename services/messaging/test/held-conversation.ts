import { waitFor } from '@mostrador/testing/wait';
import type { TestMessaging } from './messaging.ts';

/** A conversation that another transaction has locked. */
export type HeldConversation = {
  /** Resolves when a number of transactions of this database wait for a conversation. */
  waiting(count: number): Promise<unknown>;
  /** Ends the transaction that holds the lock. */
  release(): Promise<void>;
};

/** Locks the conversation of a lead, so that requests meet while they wait for it. */
export async function holdConversation(
  { adminSql }: Pick<TestMessaging, 'adminSql'>,
  storeId: string,
  leadId: string,
): Promise<HeldConversation> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = adminSql.begin(async (sql) => {
    await sql`select from conversations where store_id = ${storeId} and lead_id = ${leadId} for no key update`;
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return {
    waiting: (count) =>
      waitFor(
        async () => {
          const rows = await adminSql`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%conversations%'`;
          return rows.length === count;
        },
        { description: `${count} transactions wait for the conversation` },
      ),
    async release() {
      released.resolve();
      await holding;
    },
  };
}
