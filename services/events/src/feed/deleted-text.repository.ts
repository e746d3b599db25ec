import type { TransactionSql } from '@mostrador/kit/database/database';
import type { DeletedText } from './deleted-texts.ts';
import { clockMarginMs } from './partitions.ts';

/** Stores of which messages the events up to a number may still have the text. */
export async function insertDeletedTexts(sql: TransactionSql, texts: readonly DeletedText[]): Promise<void> {
  await sql`
    insert into deleted_texts ${sql([...texts])}
    on conflict (store_id, message_id) do update set through = excluded.through`;
}

/**
 * Takes the oldest text out of the `window` latest events that may have it, and forgets it when no earlier event does.
 * Other processes take other texts meanwhile. Returns whether there was one.
 */
export async function deleteNextText(sql: TransactionSql, window: number): Promise<boolean> {
  const [next] = await sql<DeletedText[]>`
    select store_id, message_id, through, since from deleted_texts
    order by created_at limit 1 for no key update skip locked`;
  if (!next) return false;
  const { store_id, message_id, through } = next;
  const earliest = new Date(next.since.getTime() - clockMarginMs);
  const after = through - window;
  await sql`select delete_text(${store_id}, ${message_id}, ${earliest}, ${after}, ${through})`;
  // Numbers have a gap where a restore was fenced.
  const [before] = await sql<{ sequence: number; appended_at: Date }[]>`
    select sequence, appended_at from events where store_id = ${store_id} and sequence <= ${after}
    order by sequence desc limit 1`;
  if (before && before.appended_at >= earliest)
    await sql`
      update deleted_texts set through = ${before.sequence} where store_id = ${store_id} and message_id = ${message_id}`;
  else await sql`delete from deleted_texts where store_id = ${store_id} and message_id = ${message_id}`;
  return true;
}
