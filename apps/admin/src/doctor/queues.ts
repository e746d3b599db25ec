import { ageText, type Finding, type Severity, toTime } from './finding.ts';
import type { QueueState } from './queues.repository.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const never = Number.POSITIVE_INFINITY;

/** From which age on a reason is a finding, and what it means. */
type Rule = {
  readonly note?: number;
  readonly warning: number;
  readonly critical: number;
  readonly why: string;
  readonly remedy: string;
};

const ownSteps =
  'Look at the findings about workflows, task queues and services. When they run again, what waits goes on by itself.';

/** Reasons without a rule need nothing: `running`, `postponed`, `behind_another`. */
const rules: Readonly<Record<string, Rule>> = {
  overdue: {
    warning: 60 * second,
    critical: 5 * minute,
    why: 'It is due, and no step takes it: workflows, Temporal, or the service does not run or cannot keep up.',
    remedy: ownSteps,
  },
  failed_attempt: {
    note: 0,
    warning: minute,
    critical: never,
    why: 'Each attempt failed. The next one follows by itself.',
    remedy: 'Find what the code means in docs/operations/waiting.md. Once it is mended: `waiting retry`.',
  },
  provider_unavailable: {
    warning: 0,
    critical: hour,
    why: 'Its provider does not answer, or answers with errors, and is not called for now.',
    remedy: "Look at the provider's status page. What waits goes on by itself.",
  },
  provider_busy: {
    warning: 10 * minute,
    critical: never,
    why: 'The calls to its provider that may run at once are running, and each takes long.',
    remedy: 'Look whether the provider hangs. More processes of the service make more calls.',
  },
  not_connected: {
    note: 0,
    warning: hour,
    critical: never,
    why: 'The store has disconnected its channel.',
    remedy: 'The store connects a channel, or `waiting give-up --reason not_connected`.',
  },
  needs_attention: {
    warning: 0,
    critical: never,
    why: 'The provider refuses the connection of the store, or what is sent over it.',
    remedy: 'The store connects the channel or the calendar again: `channel show` and `calendar show` have the reason.',
  },
  unknown_outcome: {
    note: 0,
    warning: 10 * minute,
    critical: never,
    why: "The provider's answer was lost. A second send could reach the customer twice, so none is made.",
    remedy: "Find out in the provider's records, then `message settle`, or `waiting give-up --unknown-as`.",
  },
  restored: {
    warning: 0,
    critical: never,
    why: 'It may have been sent before the database was restored.',
    remedy: 'Settle and release them: docs/operations/restore.md.',
  },
  endpoint_paused: {
    note: hour,
    warning: never,
    critical: never,
    why: 'The store has paused the endpoint.',
    remedy: 'Nothing here: the store enables it.',
  },
  endpoint_disabled: {
    note: 0,
    warning: never,
    critical: never,
    why: 'The endpoint was disabled because it failed for days.',
    remedy: 'The store mends and enables it, and sends the events again: `webhook replay`.',
  },
  set_aside: {
    warning: 0,
    critical: never,
    why: 'It was refused again and again.',
    remedy: 'The log of the service has the error. Mend the fault: it is tried again every ten minutes.',
  },
};

type QueueWords = {
  readonly one: string;
  readonly many: string;
  readonly rules?: Readonly<Record<string, Partial<Rule>>>;
};

const queues: Readonly<Record<string, QueueWords>> = {
  message: { one: 'message', many: 'messages' },
  followup: { one: 'follow-up', many: 'follow-ups' },
  calendar_sync: { one: 'calendar sync', many: 'calendar syncs' },
  ai_turn: {
    one: 'lead who wrote',
    many: 'leads who wrote',
    rules: {
      overdue: {
        why: 'The AI is to answer, and no step takes it: workflows, Temporal or assistant does not run or cannot keep up.',
      },
      failed_attempt: {
        why: 'Each attempt to answer failed. The next one follows by itself, and people get the lead after two minutes.',
        remedy: 'Look at the finding about the model of the store, and at the log of assistant.',
      },
    },
  },
  calendar_watch: {
    one: 'calendar to be read',
    many: 'calendars to be read',
    rules: {
      failed_attempt: {
        note: never,
        warning: 10 * minute,
        why: 'What people change in the calendar is not seen. The next attempt follows by itself.',
        remedy: '`calendar show` has the error, and docs/operations/calendar-sync.md what it means.',
      },
      needs_attention: {
        why: 'The provider refuses the connection, or the calendar lost most events at once, so that none is cancelled.',
        remedy: 'The store connects the calendar again, or restores it: `calendar show` has the error.',
      },
    },
  },
  webhook_delivery: {
    one: 'webhook delivery',
    many: 'webhook deliveries',
    rules: {
      overdue: {
        why: 'It is due, and no events process sends it.',
        remedy: 'Look at the findings about events. When it runs again, the deliveries go on by themselves.',
      },
      failed_attempt: {
        why: "The store's receiver fails.",
        remedy:
          'The store mends its receiver; the next attempts follow by themselves. `webhook show` has the last error.',
      },
    },
  },
  inbound_payload: {
    one: 'webhook of a channel',
    many: 'webhooks of channels',
    rules: {
      overdue: {
        why: 'It is stored, and no messaging process reads it.',
        remedy: 'Look at the findings about messaging. When it runs again, it goes on by itself.',
      },
      set_aside: {
        why: 'It cannot be read, or failed 20 times. What a customer wrote may be missing.',
        remedy: 'Mend the fault, then `waiting retry --kind inbound_payload`; or give it up.',
      },
    },
  },
  outbox: {
    one: 'entry',
    many: 'entries',
    rules: {
      overdue: {
        critical: 10 * minute,
        why: 'The relay of the service does not run, or its receiver does not answer.',
        remedy: 'Look at the findings about this service, NATS and Temporal. The entries are delivered by themselves.',
      },
    },
  },
  feed: {
    one: 'public event',
    many: 'public events',
    rules: {
      overdue: {
        critical: 10 * minute,
        why: 'The relay of the service does not run, or events does not answer.',
        remedy: 'Look at the findings about this service and events. The events are delivered by themselves.',
      },
      set_aside: {
        why: 'The events service refused it.',
        remedy: 'The log of the service has the error. To send it again: docs/operations/event-feed.md.',
      },
    },
  },
};

/** What waits for too long. Pure. */
export const judgeQueues = (states: readonly QueueState[], now: Date): Finding[] =>
  states.flatMap((state) => {
    const words = queues[state.queue];
    const base = rules[state.reason];
    if (!words || !base) return [];
    const rule: Rule = { ...base, ...words.rules?.[state.reason] };
    const severity = severityOf(rule, +now - +state.since);
    if (!severity) return [];
    const { rows, stores, service, reason, store_id, code } = state;
    const place = service === null ? '' : ` in the ${state.queue === 'feed' ? 'feed queue' : 'outbox'} of ${service}`;
    const of = stores === 1 ? `the store ${store_id}` : `${stores} stores, the oldest of ${store_id}`;
    return [
      {
        severity,
        what: `${rows.toLocaleString('en')} ${rows === 1 ? `${words.one} waits` : `${words.many} wait`}${place} (${reason}), the oldest for ${ageText(+state.since, +now)}: ${of}`,
        since: toTime(state.since),
        why: code === null ? rule.why : `${rule.why} The last error: ${code}.`,
        remedy: rule.remedy,
      },
    ];
  });

function severityOf({ note = never, warning, critical }: Rule, ageMs: number): Severity | undefined {
  if (ageMs >= critical) return 'critical';
  if (ageMs >= warning) return 'warning';
  return ageMs >= note ? 'note' : undefined;
}
