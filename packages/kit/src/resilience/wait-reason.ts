import { toTimestamp } from '../rpc/validate.ts';
import type { BlockedReason } from './circuit.ts';

const details: Record<BlockedReason, string> = {
  provider_unavailable: 'The provider does not answer, or answers with errors. It is asked again at intervals.',
  provider_busy: 'The calls to the provider that may run at once are running. This one waits for its turn.',
};

/** The columns of a row that waits for its provider. Null: it does not. */
export type WaitColumns = { readonly wait_reason: BlockedReason | null; readonly wait_since: Date | null };

/** The `reason` that the API shows, or null. It has no text of the provider and no address. */
export const toWaitReason = ({ wait_reason, wait_since }: WaitColumns) =>
  wait_reason && wait_since ? reasonSince(wait_reason, wait_since) : null;

const reasonSince = (code: BlockedReason, since: Date) => ({ code, detail: details[code], since: toTimestamp(since) });

/** The status and reason of a connection whose provider fails since `since`. What a person must repair comes first. */
export const toConnectionHealth = (status: 'connected' | 'needs_attention', since: Date | undefined) =>
  status === 'connected' && since
    ? { status: 'degraded' as const, reason: reasonSince('provider_unavailable', since) }
    : { status, reason: null };

type Health = {
  readonly status: string;
  readonly reason: { readonly code: string; readonly detail: string; readonly since: string } | null;
};
/** What the provider answered when it refused a connection, and when. */
export type Refusal = {
  readonly last_error: { readonly code: string; readonly detail: string } | null;
  readonly refused_at: Date | null;
};

/** Why a connection is `degraded` or `needs_attention`, for the people of the store. */
export function toConnectionReason({ status, reason }: Health, { last_error, refused_at }: Refusal) {
  if (status !== 'needs_attention') return reason;
  const { code, detail } = last_error ?? { code: 'refused', detail: 'The provider refused the credentials.' };
  return { code, detail, since: refused_at && toTimestamp(refused_at) };
}
