import type { AssistantSettings } from '@mostrador/contracts';
import type { TurnRow } from './turn.ts';

type Waiting = Pick<TurnRow, 'first_received_at' | 'last_received_at'>;
type Window = Pick<AssistantSettings, 'ai_quiet_seconds' | 'ai_max_wait_seconds'>;

/** When the AI stops waiting for more of a lead's messages. From then on a newer message does not hold the answer back. */
export const longestWaitAt = ({ first_received_at }: Pick<Waiting, 'first_received_at'>, window: Window): Date =>
  new Date(first_received_at.getTime() + window.ai_max_wait_seconds * 1000);

/** When the AI answers: the lead has been quiet by then, or has waited for as long as the store allows. */
export function replyAt(turn: Waiting, window: Window): Date {
  const quietAt = new Date(turn.last_received_at.getTime() + window.ai_quiet_seconds * 1000);
  return earliest(quietAt, longestWaitAt(turn, window));
}

export const earliest = (one: Date, other: Date): Date => new Date(Math.min(one.getTime(), other.getTime()));
export const latest = (one: Date, other: Date): Date => new Date(Math.max(one.getTime(), other.getTime()));
