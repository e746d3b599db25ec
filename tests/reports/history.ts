import { randomUUID } from 'node:crypto';
import {
  appointmentSources,
  appointmentStatuses,
  leadStatuses,
  type PricingCategory,
  pricingCategories,
} from '@mostrador/contracts';
import type { Random } from '@mostrador/testing/random';

type LeadStatus = (typeof leadStatuses)[number];
type Source = 'ai' | 'seller' | 'api' | 'followup';

/** The history of a store, as the rows that the services would have written. */
export type History = {
  readonly storeId: string;
  readonly sellers: readonly string[];
  readonly leads: readonly LeadRow[];
  readonly statusChanges: readonly StatusChange[];
  readonly sellerChanges: readonly SellerChange[];
  readonly sessions: readonly Session[];
  readonly messages: readonly Message[];
  readonly services: readonly string[];
  readonly appointments: readonly Appointment[];
  readonly appointmentFacts: readonly AppointmentFact[];
  readonly followups: readonly Followup[];
};

export type LeadRow = { id: string; createdAt: Date; status: LeadStatus; sellerId: string | null };
export type StatusChange = {
  leadId: string;
  version: number;
  from: LeadStatus | null;
  to: LeadStatus;
  at: Date;
  /** The seller of the lead at that time. */
  sellerId: string | null;
};
export type SellerChange = { leadId: string; version: number; from: string | null; to: string | null; at: Date };
export type Session = {
  id: string;
  leadId: string;
  startedAt: Date;
  endedAt: Date | null;
  openedByLead: boolean;
  /** Null unless an inbound message opened the session. */
  firstResponseAt: Date | null;
};
export type Message = {
  id: string;
  leadId: string;
  sessionId: string;
  number: number;
  createdAt: Date;
} & (
  | { direction: 'inbound' }
  | { direction: 'outbound'; source: Source; takenAt: Date | null; failedAt: Date | null; priced: Priced | null }
);
/** When the price of a message was recorded, and which. */
export type Priced = { readonly at: Date; readonly as: 'billed' | 'free'; readonly category: PricingCategory };
export type Appointment = {
  id: string;
  leadId: string | null;
  status: (typeof appointmentStatuses)[number];
  createdAt: Date;
};
/** What happened to an appointment after its creation, or a refusal. */
export type AppointmentFact = {
  what: (typeof appointmentFactKinds)[number];
  sellerId: string | null;
  serviceId: string | null;
  at: Date;
};
const appointmentFactKinds = [
  ...(['refused', 'moved', 'confirmed', 'no_shows'] as const),
  ...appointmentSources.map((source) => `cancelled_${source}` as const),
];
export type Followup = {
  id: string;
  leadId: string;
  status: 'pending' | 'sent' | 'failed' | 'cancelled';
  createdAt: Date;
  settledAt: Date | null;
};

/** The period of a history, with the instants around which clocks or dates change. */
export type Era = { readonly from: Date; readonly to: Date; readonly notable: readonly Date[] };

const quarterMs = 15 * 60_000;
const hourMs = 4 * quarterMs;

export function createHistory(random: Random, storeId: string, { from, to, notable }: Era): History {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  /** A random instant after `afterMs`, often near a notable instant or at the edge of a quarter-hour. */
  const moment = (afterMs: number): Date => {
    const anywhere = afterMs + random.next() * (toMs - afterMs);
    const near = random.pick(notable).getTime() + (random.next() - 0.5) * 6 * hourMs;
    const ms = random.below(3) === 0 && near > afterMs && near < toMs ? near : anywhere;
    const edge = Math.round(ms / quarterMs) * quarterMs + random.pick([-1, 0, 0, 1]);
    return new Date(Math.floor(random.below(3) === 0 && edge > afterMs && edge < toMs ? edge : ms));
  };
  /** At most `count` different instants, in order. */
  const moments = (count: number, afterMs: number): Date[] => {
    const chosen = Array.from({ length: count }, () => moment(afterMs + 1).getTime());
    return [...new Set(chosen)].sort((a, b) => a - b).map((ms) => new Date(ms));
  };

  const sellers = Array.from({ length: 3 }, () => randomUUID());
  const services = Array.from({ length: 2 }, () => randomUUID());
  const history = {
    storeId,
    sellers,
    services,
    leads: [] as LeadRow[],
    statusChanges: [] as StatusChange[],
    sellerChanges: [] as SellerChange[],
    sessions: [] as Session[],
    messages: [] as Message[],
    appointments: [] as Appointment[],
    appointmentFacts: [] as AppointmentFact[],
    followups: [] as Followup[],
  };
  const createLead = () => {
    const createdAt = moment(fromMs);
    const lead: LeadRow = { id: randomUUID(), createdAt, status: random.pick(leadStatuses), sellerId: null };
    if (random.below(2) === 0) {
      lead.sellerId = random.pick(sellers);
      history.sellerChanges.push({ leadId: lead.id, version: 1, from: null, to: lead.sellerId, at: createdAt });
    }
    const change = (version: number, from: LeadStatus | null, at: Date) =>
      history.statusChanges.push({ leadId: lead.id, version, from, to: lead.status, at, sellerId: lead.sellerId });
    change(1, null, createdAt);
    moments(random.below(7), createdAt.getTime()).forEach((at, index) => {
      const [version, before] = [index + 2, { ...lead }];
      if (random.below(3) === 0) {
        lead.sellerId = random.pick([...sellers, null].filter((id) => id !== before.sellerId));
        history.sellerChanges.push({ leadId: lead.id, version, from: before.sellerId, to: lead.sellerId, at });
      } else {
        lead.status = random.pick(leadStatuses.filter((status) => status !== before.status));
        change(version, before.status, at);
      }
    });
    history.leads.push(lead);
    return lead;
  };
  const createConversation = (leadId: string) => {
    let number = 0;
    const starts = moments(random.below(5), fromMs);
    starts.forEach((startedAt, index) => {
      const untilMs = starts[index + 1]?.getTime() ?? toMs;
      const later = moments(random.below(6), startedAt.getTime()).filter((at) => at.getTime() < untilMs);
      const inSession = [startedAt, ...later].map((createdAt) =>
        createMessage(random, { id: randomUUID(), leadId, sessionId: '', number: ++number, createdAt }),
      );
      const openedByLead = inSession[0]?.direction === 'inbound';
      const responses = inSession.flatMap((message) =>
        message.direction === 'outbound' ? (message.takenAt ?? []) : [],
      );
      const [firstResponseAt = null] = openedByLead ? responses.sort((a, b) => a.getTime() - b.getTime()) : [];
      const ended = index < starts.length - 1 || random.below(2) === 0;
      const endedAt = ended ? new Date(untilMs - 1) : null;
      const session: Session = { id: randomUUID(), leadId, startedAt, endedAt, openedByLead, firstResponseAt };
      history.messages.push(...inSession.map((message) => ({ ...message, sessionId: session.id })));
      history.sessions.push(session);
    });
  };
  const createAppointment = (leadId: string | null) =>
    history.appointments.push({
      id: randomUUID(),
      leadId,
      status: random.pick(appointmentStatuses),
      createdAt: moment(fromMs),
    });
  const createFollowup = (leadId: string) => {
    const createdAt = moment(fromMs);
    const status = random.pick(['pending', 'sent', 'failed', 'cancelled'] as const);
    const settledAt = status === 'pending' ? null : moment(createdAt.getTime());
    history.followups.push({ id: randomUUID(), leadId, status, createdAt, settledAt });
  };

  for (let made = 0; made < 15; made++) {
    const { id } = createLead();
    createConversation(id);
    for (let n = random.below(4); n > 0; n--) createAppointment(id);
    for (let n = random.below(4); n > 0; n--) createFollowup(id);
  }
  for (let n = 0; n < 5; n++) createAppointment(null);
  for (let n = 0; n < 20; n++) {
    history.appointmentFacts.push({
      what: random.pick(appointmentFactKinds),
      sellerId: random.pick([...sellers, null]),
      serviceId: random.pick([...services, null]),
      at: moment(fromMs),
    });
  }
  return history;
}

function createMessage(random: Random, base: Omit<Message, 'direction'>): Message {
  if (random.below(2) === 0) return { ...base, direction: 'inbound' };
  // From milliseconds to days, so that every bucket gets responses.
  const takenMs = base.createdAt.getTime() + Math.floor(10 ** (random.next() * 9));
  const outcome = random.pick(['waits', 'taken', 'taken', 'refused', 'taken, then failed'] as const);
  const failedMs = { waits: null, taken: null, refused: takenMs, 'taken, then failed': takenMs + random.below(hourMs) };
  const failedAt = failedMs[outcome];
  return {
    ...base,
    direction: 'outbound',
    source: random.pick(['ai', 'seller', 'api', 'followup'] as const),
    takenAt: outcome.startsWith('taken') ? new Date(takenMs) : null,
    priced: outcome === 'taken' ? createPrice(random, takenMs) : null,
    failedAt: failedAt === null ? null : new Date(failedAt),
  };
}

const createPrice = (random: Random, takenMs: number): Priced => ({
  at: new Date(takenMs + random.below(hourMs)),
  as: random.pick(['billed', 'free'] as const),
  category: random.pick(pricingCategories),
});
