import { randomUUID } from 'node:crypto';
import { raiseInteractionCounts } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../dependencies.ts';
import { findUnsentCounts, type UnsentCount } from './interaction.repository.ts';
import { recordReported } from './reported.repository.ts';
import { sendMissed } from './send-missed.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc'>;

const limitMs = 5_000;

/** Sends interaction counts of a store's leads to crm and records that. Repeats and any order are safe. */
export async function sendInteractionCounts(
  { database, rpc }: Tools,
  storeId: string,
  counts: readonly Omit<UnsentCount, 'store_id'>[],
): Promise<void> {
  if (counts.length === 0) return;
  const scope = { storeId, deadline: Date.now() + limitMs };
  await rpc.call(raiseInteractionCounts, { body: { counts: [...counts] } }, { ...scope, requestId: randomUUID() });
  const values = counts.map(({ lead_id, interaction_count }) => ({ lead_id, value: interaction_count }));
  await database.write(scope, (sql) => recordReported(sql, storeId, 'reported_count', values));
}

/**
 * Sends the counts that crm does not have yet, as `sendMissed` does: those of outbound messages, and those that a crash or
 * an outage of crm left. Returns the number of counts sent.
 */
export const sendMissedInteractionCounts = (
  { systemDatabase, log, ...tools }: Tools & Pick<Dependencies, 'systemDatabase'> & { log: Log },
  signal: AbortSignal,
): Promise<number> =>
  sendMissed(
    {
      systemDatabase,
      log,
      what: 'interaction counts',
      find: findUnsentCounts,
      send: (storeId, rows) =>
        sendInteractionCounts(
          tools,
          storeId,
          rows.map(({ lead_id, interaction_count }) => ({ lead_id, interaction_count })),
        ),
    },
    signal,
  );
