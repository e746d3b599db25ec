import { createWebhookReplay as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findFeed } from '../../feed/event.repository.ts';
import { saveSender } from '../endpoints/endpoint.repository.ts';
import { lockEnabled } from '../endpoints/lock-enabled.ts';
import { insertReplay } from './replay.repository.ts';
import { type ReplayRow, toWebhookReplay } from './replay.ts';

const nothingYet = { pending: 0, succeeded: 0, failed: 0 };

const emptyRange = () =>
  validationFailed([{ pointer: '#/to_sequence', detail: 'must not be less than `from_sequence`' }]);

/** The planner opens its deliveries batch by batch, so a replay has no limit. The workflow sends them. */
export const createWebhookReplay =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    const { from_sequence = 1, to_sequence } = body;
    if (to_sequence !== undefined && to_sequence < from_sequence) throw emptyRange();
    const result = await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEnabled(sql, storeId, params.endpointId);
        const feed = await findFeed(sql, storeId);
        const from = body.from_sequence ?? feed.oldest_sequence;
        const to = Math.min(to_sequence ?? feed.last_sequence, feed.last_sequence);
        if (from < feed.oldest_sequence || from > feed.last_sequence + 1) {
          throw new AppError('cursor_expired', {
            detail: 'The feed does not have `from_sequence`. Leave it out to begin with the oldest event.',
          });
        }
        if (to_sequence !== undefined && to_sequence < from) throw emptyRange();
        await saveSender(sql, endpoint, 'workflow');
        return await insertReplay(sql, endpoint, {
          selection: body.only,
          event_types: body.types ?? null,
          from_sequence: from,
          to_sequence: Math.max(to, from - 1),
        });
      },
      toReply: (row: ReplayRow) => toWebhookReplay({ ...row, ...nothingYet }),
    });
    dependencies.nudgeSender(context.storeId);
    return result;
  };
