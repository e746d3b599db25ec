import { randomUUID } from 'node:crypto';
import {
  type EventActor,
  maxWebhookEndpoints,
  createWebhookEndpoint as operation,
  type WebhookCreator,
} from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findFeed } from '../../feed/event.repository.ts';
import { countForCreation, insertEndpoint } from './endpoint.repository.ts';
import { type EndpointRow, toWebhookEndpoint } from './endpoint.ts';
import { assertEndpointAddress } from './endpoint-address.ts';
import { makeKeys, sealSecrets } from './secrets.ts';

/** Who creates an endpoint. Null: a gateway of the previous version does not say so. */
const creatorFrom = (actor: EventActor | null | undefined): WebhookCreator | null => {
  if (!actor) return null;
  const { kind, id } = actor;
  return kind === 'api_key' || kind === 'user' ? { kind, id } : { kind: 'operator', id: null };
};

const nothingPending = { pending: 0, oldest_pending_at: null };

/** The new endpoint gets the events that are appended after this transaction has read the feed. */
export const createWebhookEndpoint =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { database, vault } = dependencies;
    const { storeId } = context;
    const { keys, publicKey } = makeKeys(body.asymmetric ?? false);
    const id = randomUUID();
    return await withIdempotency({
      database,
      context,
      operation,
      vault,
      run: async (commit) => {
        await assertEndpointAddress(storeId, body.url, dependencies);
        return await commit(async (sql) => {
          if ((await countForCreation(sql, storeId)) >= maxWebhookEndpoints)
            throw new AppError('webhook_endpoint_limit');
          const feed = await findFeed(sql, storeId);
          return await insertEndpoint(sql, storeId, {
            id,
            url: body.url,
            description: body.description ?? null,
            event_types: body.event_types ?? null,
            ordering: body.ordering ?? 'entity',
            payload: body.payload ?? 'object',
            max_in_flight: body.max_in_flight ?? 5,
            sealedSecrets: sealSecrets(vault, id, { keys: [keys] }),
            publicKey,
            plannedThrough: feed.last_sequence,
            creator: creatorFrom(context.actor),
          });
        });
      },
      toReply: (row: EndpointRow) => ({ ...toWebhookEndpoint({ ...row, ...nothingPending }), secret: keys.secret }),
      etag: (row) => etagOf(row.version),
    });
  };
