import { updateWebhookEndpoint as operation, type RequestOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findFeed } from '../../feed/event.repository.ts';
import { cancelBefore, dueAtOnce, reopenGivenUp } from '../deliveries/delivery.repository.ts';
import { saveDue } from '../sending/save-due.ts';
import { findEndpoint, lockEndpoint, savePlace, saveSender, saveSettings, saveStatus } from './endpoint.repository.ts';
import {
  changeSettings,
  type EndpointRow,
  type EndpointSettings,
  endpointEtag,
  type Pending,
  toWebhookEndpoint,
} from './endpoint.ts';
import { assertEndpointAddress } from './endpoint-address.ts';
import { faultsOfFilters } from './endpoint-filters.ts';

type Body = RequestOf<typeof operation>['body'];

export const updateWebhookEndpoint =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { database, relay, nudgeSender } = dependencies;
    const { storeId } = context;
    if (body.resume_from !== undefined && body.status !== 'enabled') {
      throw validationFailed([{ pointer: '#/resume_from', detail: 'needs `status` with the value `enabled`' }]);
    }
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        if (body.url !== undefined) await assertEndpointAddress(storeId, body.url, dependencies);
        return await commit(async (sql) => {
          const endpoint = await lockEndpoint(sql, storeId, params.endpointId);
          if (!endpoint) throw new AppError('webhook_endpoint_not_found');
          assertIfMatch(context, endpoint.version);
          const settings = changeSettings(endpoint, body);
          const faults = settings ? faultsOfFilters(settings, body.filters !== undefined) : [];
          if (faults.length > 0) throw validationFailed(faults);
          if (settings) await saveSettings(sql, endpoint, settings);
          if (body.status === 'paused' && endpoint.status !== 'paused') await saveStatus(sql, endpoint, 'paused');
          else if (isResumed(endpoint, body)) await resume(sql, endpoint, body);
          else if (isMended(endpoint, settings)) await beginAgain(sql, endpoint);
          await saveDue(sql, endpoint);
          return (await findEndpoint(sql, storeId, endpoint.id)) as EndpointRow & Pending;
        });
      },
      toReply: toWebhookEndpoint,
      etag: endpointEtag,
    });
    relay.nudge();
    nudgeSender(storeId);
    return result;
  };

const isResumed = (endpoint: EndpointRow, { status, resume_from }: Body): boolean =>
  status === 'enabled' && (endpoint.status !== 'enabled' || resume_from !== undefined);

/** Whether an endpoint that fails gets another address: what the old one answered says nothing about that. */
const isMended = (endpoint: EndpointRow, settings: EndpointSettings | undefined): boolean =>
  settings !== undefined &&
  settings.url !== endpoint.url &&
  endpoint.status === 'enabled' &&
  (endpoint.failures > 0 || endpoint.sender === 'workflow');

/** Sends again what waits, from where deliveries stopped or from `resume_from`. */
async function resume(sql: TransactionSql, endpoint: EndpointRow, { resume_from }: Body): Promise<void> {
  const feed = await findFeed(sql, endpoint.store_id);
  const from = resume_from ?? endpoint.planned_through + 1;
  // Events that the feed no longer has would be a silent gap.
  if (from < feed.oldest_sequence || from > feed.last_sequence + 1) {
    throw new AppError('cursor_expired', {
      detail:
        resume_from === undefined
          ? 'The feed no longer has the events after those that were sent. Send a `resume_from` that it has.'
          : 'The feed does not have `resume_from`. Send the `next` of `after=-1` plus 1 to begin with the events to come.',
    });
  }
  if (resume_from !== undefined) {
    await cancelBefore(sql, endpoint, from);
    await savePlace(sql, endpoint, from - 1);
  } else if (endpoint.failing_since) {
    // It was disabled: everything failed, so what was given up meanwhile is not to blame.
    await reopenGivenUp(sql, endpoint, endpoint.failing_since);
  }
  await beginAgain(sql, endpoint);
}

/**
 * Makes what waits due at once, as if nothing had failed. Its workflow sends at first, because there may be much, and the
 * endpoint may still fail.
 */
async function beginAgain(sql: TransactionSql, endpoint: EndpointRow): Promise<void> {
  await saveStatus(sql, endpoint, 'enabled');
  await dueAtOnce(sql, endpoint);
  await saveSender(sql, endpoint, 'workflow');
  await appendOutbox(sql, endpoint.store_id, [wakeWorkflow('webhook', endpoint.id, 'resumed')]);
}
