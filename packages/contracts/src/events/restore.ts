import { Type } from '@sinclair/typebox';
import { Exact, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/**
 * Restarts every feed after a restore: each cursor from before it is expired, and numbers and versions go on above all
 * that were ever given. Repeatable: the same moment restarts nothing.
 */
export const fenceFeeds = defineOperation({
  subject: 'events.admin.feed.fence',
  access: 'platform',
  tenancy: 'none',
  summary: 'Restart the event feeds after the database was restored',
  request: {
    body: Exact({
      since: Timestamp,
      dry_run: Type.Optional(Type.Boolean({ description: 'Count, and change nothing.' })),
    }),
  },
  reply: Type.Object({ feeds: Type.Integer({ description: 'Feeds that this call restarted.' }) }),
});
