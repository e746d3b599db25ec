import type { Appointment, Followup, Lead, LeadStatus, Message, StoreEvent } from '../api/platform.ts';

/** Something that happened with a lead, or is going to. */
export type Entry = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'appointment'; readonly appointment: Appointment }
  | { readonly kind: 'followup'; readonly followup: Followup }
  | { readonly kind: 'status'; readonly from: LeadStatus; readonly to: LeadStatus }
  | { readonly kind: 'seller'; readonly to: string | null }
  | { readonly kind: 'created' }
);

type Parts = {
  readonly lead: Lead;
  readonly messages: readonly Message[];
  readonly appointments: readonly Appointment[];
  readonly followups: readonly Followup[];
  /** Of the lead, oldest first. Empty for roles that may not read them. */
  readonly events: readonly StoreEvent[];
};

export type Timeline = {
  /** What is still to come, the next first. */
  readonly ahead: readonly Entry[];
  /** What has been, the newest first. */
  readonly past: readonly Entry[];
};

const minuteMs = 60_000;
const byTime = (one: Entry, other: Entry) => Date.parse(one.at) - Date.parse(other.at);

export function timelineOf({ lead, messages, appointments, followups, events }: Parts, now: number): Timeline {
  const isAhead = ({ status, scheduled_at, duration_minutes }: Appointment) =>
    status === 'scheduled' && Date.parse(scheduled_at) + duration_minutes * minuteMs > now;
  const isWaiting = ({ status }: Followup) => status === 'pending' || status === 'sending';
  const shown = new Set(messages.map(({ id }) => id));
  const ofAppointment = (appointment: Appointment): Entry => ({
    kind: 'appointment',
    id: appointment.id,
    // One that was cancelled was never held, so its day says little.
    at: appointment.status === 'cancelled' ? appointment.updated_at : appointment.scheduled_at,
    appointment,
  });
  const ofFollowup = (followup: Followup): Entry => ({
    kind: 'followup',
    id: followup.id,
    at: isWaiting(followup) ? (followup.next_attempt_at ?? followup.due_at) : followup.updated_at,
    followup,
  });
  const ahead = [...appointments.filter(isAhead).map(ofAppointment), ...followups.filter(isWaiting).map(ofFollowup)];
  const past: Entry[] = [
    ...messages.map((message): Entry => ({ kind: 'message', id: message.id, at: message.created_at, message })),
    ...appointments.filter((appointment) => !isAhead(appointment)).map(ofAppointment),
    ...followups.filter((followup) => !isWaiting(followup) && !shown.has(followup.message_id ?? '')).map(ofFollowup),
    ...changesOf(events),
    { kind: 'created', id: lead.id, at: lead.created_at },
  ];
  return { ahead: ahead.sort(byTime), past: past.sort((one, other) => byTime(other, one)) };
}

type State = { readonly status: LeadStatus; readonly seller_id: string | null };

/** The changes of status and seller between events. What the first one was made from is not known. */
function changesOf(events: readonly StoreEvent[]): Entry[] {
  return events.flatMap((event, index): Entry[] => {
    const before = events[index - 1]?.data as State | undefined;
    const { status, seller_id } = event.data as State;
    if (!before) return [];
    const { id, created_at: at } = event;
    return [
      ...(before.status === status
        ? []
        : [{ kind: 'status', id: `${id} status`, at, from: before.status, to: status } as const]),
      ...(before.seller_id === seller_id ? [] : [{ kind: 'seller', id: `${id} seller`, at, to: seller_id } as const]),
    ];
  });
}
