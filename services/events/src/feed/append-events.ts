import type { appendEvents as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findKnown, findVersionBase, insertEvents, isWithoutPartition, lockFeeds } from './append.repository.ts';
import { insertDeletedTexts } from './deleted-text.repository.ts';
import { deletedTextsIn } from './deleted-texts.ts';
import { numberEntries } from './number-entries.ts';
import { makePartition } from './partition.repository.ts';
import { dayOf } from './partitions.ts';

/**
 * Appends the entries in one transaction. It looks for events that the feeds have already under the locks of these
 * feeds, so two requests with the same event append it once.
 */
export const appendEvents =
  ({ systemDatabase, notify, now = () => new Date() }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { entries } }) => {
    const at = now();
    const storeIds = [...new Set(entries.map(({ store_id }) => store_id))];
    const append = () =>
      systemDatabase.write(context, async (sql) => {
        const feeds = await lockFeeds(sql, storeIds, at);
        const known = await findKnown(sql, entries, at);
        const numbered = numberEntries(entries, { feeds, known: known.map(({ id }) => id), at });
        if (numbered.events.length > 0) await insertEvents(sql, numbered, await findVersionBase(sql));
        const deleted = deletedTextsIn(numbered.events);
        if (deleted.length > 0) await insertDeletedTexts(sql, deleted);
        return numbered;
      });
    const { events, feeds } = await append().catch(async (error) => {
      if (!isWithoutPartition(error)) throw error;
      // The job makes partitions days ahead. Where it could not, an append makes the one that it needs.
      await systemDatabase.write(context, (sql) => makePartition(sql, dayOf(at)));
      return append();
    });
    if (events.length > 0)
      notify(Object.fromEntries(feeds.map(({ store_id, last_sequence }) => [store_id, last_sequence])));
    return { appended: events.length };
  };
