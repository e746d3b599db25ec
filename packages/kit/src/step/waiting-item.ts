import type { OperatorItem, WaitingReason } from '@mostrador/contracts/core';
import { toTimestamp } from '../rpc/validate.ts';

/** Why a row waits, until when, and the code of its last failure. */
export type WaitingCause = {
  readonly reason: WaitingReason;
  /** Null: something else must happen first. */
  readonly until: Date | null;
  readonly code?: string | null;
  /** What the reason means here, where its own text does not fit. */
  readonly detail?: string;
};

const details: Readonly<Record<WaitingReason, string>> = {
  due: 'The next attempt begins now.',
  running: 'An attempt runs.',
  failed_attempt: 'The last attempt failed. The next one follows by itself.',
  postponed: 'A rate limit, a sending window or the provider asked for a pause.',
  behind_another: 'An earlier one goes first.',
  provider_unavailable: 'The provider does not answer, or answers with errors. It is asked again at intervals.',
  provider_busy: 'The calls to the provider that may run at once are running. This one waits for its turn.',
  not_connected: 'No channel is connected. Connect one.',
  needs_attention: 'The provider refused it. Connect it again, or change what it refused.',
  unknown_outcome: 'The answer of the provider was lost. Find out whether it arrived, and settle it.',
  restored: 'It may have happened before the database was restored. Find out, then retry it or give it up.',
  endpoint_paused: 'The endpoint is paused. Enable it.',
  endpoint_disabled: 'The endpoint was disabled because it failed. Enable it.',
};

/** The row as the list shows it. */
export const toWaitingItem = (
  row: Pick<OperatorItem, 'kind' | 'id' | 'lead_id' | 'attempts' | 'workflow_id'> & {
    readonly endpoint_id?: string;
    readonly since: Date;
  },
  { reason, until, code, detail = details[reason] }: WaitingCause,
): OperatorItem => ({
  kind: row.kind,
  id: row.id,
  lead_id: row.lead_id,
  endpoint_id: row.endpoint_id ?? null,
  since: toTimestamp(row.since),
  until: until && toTimestamp(until),
  reason,
  detail: code ? `${detail} (${code})` : detail,
  attempts: row.attempts,
  workflow_id: row.workflow_id,
});
