import type { WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import {
  findPayloadStores,
  findWaitingPayloads,
  lockWaitingPayload,
  savePayloadGivenUp,
  savePayloadRetry,
  type WaitingPayloadRow,
} from './waiting.repository.ts';

/**
 * Webhooks of channels that are stored and not processed, and those that were given up and are kept. Only an operator sees
 * them: what stands in one is not known before it is processed.
 */
export const waitingPayloads: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingPayloads(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem({ ...row, kind: 'inbound_payload', lead_id: null, workflow_id: null }, causeOf(row)),
    );
  },

  findStores: findPayloadStores,

  /** The processor claims it within seconds. Its lease keeps it from one that processes it now. */
  async retry(sql, storeId, { id }) {
    const payload = await lockWaitingPayload(sql, storeId, id);
    if (!payload) return 'not_waiting';
    if (causeOf(payload).reason === 'running') return 'running';
    await savePayloadRetry(sql, storeId, id);
    return 'done';
  },

  /** It stays until the purge, as one that was processed. */
  async giveUp(sql, storeId, { id }) {
    const payload = await lockWaitingPayload(sql, storeId, id);
    if (!payload) return 'not_waiting';
    if (causeOf(payload).reason === 'running') return 'running';
    await savePayloadGivenUp(sql, storeId, id);
    return 'done';
  },
};

/** Why a payload waits. Pure. */
function causeOf({
  now,
  attempts,
  failed_at,
  last_error: code,
  next_attempt_at: until,
}: WaitingPayloadRow): WaitingCause {
  if (failed_at !== null) {
    const detail = 'It failed too often, or cannot be read, and is kept. Mend the fault and retry it, or give it up.';
    return { reason: 'failed_attempt', until: null, code, detail };
  }
  if (until <= now) return { reason: 'due', until, code };
  if (attempts > 0) return { reason: 'failed_attempt', until, code };
  // A claim and a missing dependency both move the time of the next attempt.
  const detail = 'It is processed now, or waits for an earlier one or for a service.';
  return { reason: 'running', until, detail };
}
