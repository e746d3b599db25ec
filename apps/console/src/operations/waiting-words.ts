import type { WaitingItem, WaitingList } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import type { Act, SkipReason } from './change-waiting.ts';
import type { WaitingKind } from './operations-search.ts';

export const kindWords: Record<WaitingKind, () => string> = {
  message: m.operations_message,
  followup: m.operations_followup,
  calendar_sync: m.operations_calendar_sync,
  webhook_delivery: m.operations_webhook_delivery,
};

/** Several of a kind, for the filter. */
export const kindsWords: Record<WaitingKind, () => string> = {
  message: m.operations_messages,
  followup: m.operations_followups,
  calendar_sync: m.operations_calendar_syncs,
  webhook_delivery: m.operations_webhook_deliveries,
};

/** What waits in a part of the platform. */
const kindsOf: Record<WaitingList['unavailable'][number], readonly WaitingKind[]> = {
  messaging: ['message'],
  scheduling: ['followup', 'calendar_sync'],
  events: ['webhook_delivery'],
};

/** What is missing while these parts of the platform do not answer. */
export const missingWords = (unavailable: WaitingList['unavailable']): string =>
  new Intl.ListFormat(getLocale(), { type: 'unit' }).format(
    unavailable.flatMap((part) => kindsOf[part].map((kind) => kindsWords[kind]())),
  );

/** Why something waits, and what a person can do about it. */
export const reasonWords: Record<WaitingItem['reason'], () => string> = {
  due: m.operations_due,
  running: m.operations_running,
  failed_attempt: m.operations_failed_attempt,
  postponed: m.operations_postponed,
  behind_another: m.operations_behind_another,
  provider_unavailable: m.operations_provider_unavailable,
  provider_busy: m.operations_provider_busy,
  not_connected: m.operations_not_connected,
  needs_attention: m.operations_needs_attention,
  unknown_outcome: m.operations_unknown_outcome,
  restored: m.operations_restored,
  endpoint_paused: m.operations_endpoint_paused,
  endpoint_disabled: m.operations_endpoint_disabled,
};

export const skipWords: Record<SkipReason, () => string> = {
  not_waiting: m.operations_skip_not_waiting,
  running: m.operations_running,
  handed_over: m.operations_skip_handed_over,
  unknown_outcome: m.operations_unknown_outcome,
  not_connected: m.operations_not_connected,
  needs_attention: m.operations_needs_attention,
  restored: m.operations_restored,
  endpoint_paused: m.operations_endpoint_paused,
  endpoint_disabled: m.operations_endpoint_disabled,
  event_expired: m.operations_skip_expired,
  out_of_time: m.operations_skip_out_of_time,
};

type Counted = (inputs: { count: number }) => string;

/** What will happen to this many of a kind. */
export const willWords: Record<Act, Record<WaitingKind, Counted>> = {
  retry: {
    message: m.operations_will_retry_messages,
    followup: m.operations_will_retry_followups,
    calendar_sync: m.operations_will_retry_calendar_syncs,
    webhook_delivery: m.operations_will_retry_webhook_deliveries,
  },
  give_up: {
    message: m.operations_will_give_up_messages,
    followup: m.operations_will_give_up_followups,
    calendar_sync: m.operations_will_give_up_calendar_syncs,
    webhook_delivery: m.operations_will_give_up_webhook_deliveries,
  },
};
