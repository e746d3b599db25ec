import type { TransactionSql } from '@mostrador/kit/database/database';
import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { findSettingsIfOn } from '../settings/settings.repository.ts';
import { moveOffers } from '../tools/offer.repository.ts';
import { supersedeUnanswered } from './attempt.repository.ts';
import { earliest, latest } from './quiet.ts';
import { takeIn } from './take-in.ts';
import { lockOpenTurn, moveQuestions } from './turn.repository.ts';

/** The messages of the merged lead have moved by then: the second round of a merge comes 16 s after the first one. */
const messagesMoveMs = 20_000;

/**
 * Gives the lead that stays the offers of a merged lead, and what that one wrote without an answer. Idempotent.
 *
 * @throws AppError `lead_busy`: a step of one of the leads is running. The event comes again
 */
export const onLeadMerged =
  ({ database }: Pick<Dependencies, 'database'>) =>
  async (event: EventOf<'crm.lead.merged'>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId, data } = event;
    await database.write({ storeId, deadline }, (sql) => follow(sql, storeId, data));
  };

async function follow(
  sql: TransactionSql,
  storeId: string,
  { lead_id, merged_into }: EventOf<'crm.lead.merged'>['data'],
): Promise<void> {
  await moveOffers(sql, storeId, lead_id, merged_into);
  await moveQuestions(sql, storeId, lead_id, merged_into);
  const { turn, now } = await lockOpenTurn(sql, storeId, lead_id);
  const [settings] = await findSettingsIfOn(sql, storeId);
  if (!settings) return;
  if (turn?.lease_until && turn.lease_until > now) throw new AppError('lead_busy');
  const turns = await supersedeUnanswered(sql, storeId, lead_id);
  const last = turns.at(-1);
  if (!last) return;
  const received = {
    lead_id: merged_into,
    first_received_at: turns.map(({ first_received_at }) => first_received_at).reduce(earliest),
    last_received_at: turns.map(({ last_received_at }) => last_received_at).reduce(latest),
    left: { continues: last.id, notBefore: new Date(now.getTime() + messagesMoveMs) },
  };
  await takeIn(sql, storeId, received, settings);
}
