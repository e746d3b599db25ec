import { Type } from '@sinclair/typebox';
import { Exact, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/**
 * Begins every feed anew after a restore: each cursor from before it is expired, and numbers and versions go on above all
 * that were ever given. Repeatable: the same moment begins nothing anew.
 */
export const fenceFeeds = defineOperation({
  subject: 'events.admin.feed.fence',
  tenancy: 'none',
  summary: 'Begin the event feeds anew after the database was restored',
  request: {
    body: Exact({
      since: Timestamp,
      dry_run: Type.Optional(Type.Boolean({ description: 'Count, and change nothing.' })),
    }),
  },
  reply: Type.Object({ feeds: Type.Integer({ description: 'Feeds that this call began anew.' }) }),
});
