import {
  appointmentSources,
  appointmentStatuses,
  firstResponseBucketSeconds,
  followupStatuses,
  type LeadReport,
  leadStatuses,
  pricingCategories,
  type SummaryReport,
} from '@mostrador/contracts';
import type { History } from './history.ts';

/** Whether a fact of this instant counts. */
export type Span = (at: Date) => boolean;

/** Counts a span of a history directly from the definitions of the metrics. */
export function recount(history: History, within: Span): Omit<SummaryReport, 'period' | 'series'> {
  const { leads, statusChanges, sessions, messages, appointments, followups, sellers } = history;
  const count = (moments: readonly (Date | null)[]) => moments.filter((at) => at !== null && within(at)).length;
  /** The first change of each lead into the status within the span. */
  const first = (status: string) => [
    ...new Map(
      statusChanges
        .filter(({ to, at }) => to === status && within(at))
        .toReversed()
        .map((change) => [change.leadId, change]),
    ).values(),
  ];
  const outbound = messages.filter((message) => message.direction === 'outbound');
  const taken = (source: string) =>
    count(outbound.filter((one) => one.source === source).map(({ takenAt }) => takenAt));
  const priced = (as: 'billed' | 'free') =>
    Object.fromEntries(
      pricingCategories.map((category) => {
        const ofSource = (source: string) =>
          count(
            outbound.flatMap((one) =>
              one.source === source && one.priced?.as === as && one.priced.category === category ? [one.priced.at] : [],
            ),
          );
        return [
          category,
          { ai: ofSource('ai'), seller: ofSource('seller'), api: ofSource('api'), followup: ofSource('followup') },
        ];
      }),
    ) as NonNullable<SummaryReport['conversations']['messages_priced']>['free'];
  const billedAt = outbound.flatMap(({ priced }) => (priced?.as === 'billed' ? [priced.at] : []));
  const none = { ai: 0, seller: 0, api: 0, followup: 0 };
  const nothing = { marketing: none, utility: none, authentication: none, service: none, other: none };
  const settled = (status: string) =>
    count(followups.filter((one) => one.status === status).map(({ settledAt }) => settledAt));
  const responsesMs = sessions
    .filter(({ firstResponseAt }) => firstResponseAt !== null && within(firstResponseAt))
    .map(({ startedAt, firstResponseAt }) => (firstResponseAt as Date).getTime() - startedAt.getTime());
  const changes = (of: History['appointmentFacts']) => {
    const named = (what: string) => count(of.filter((fact) => fact.what === what).map(({ at }) => at));
    return {
      ...{
        refused: named('refused'),
        moved: named('moved'),
        confirmed: named('confirmed'),
        no_shows: named('no_shows'),
      },
      cancelled: Object.fromEntries(
        appointmentSources.map((source) => [source, named(`cancelled_${source}`)]),
      ) as NonNullable<SummaryReport['appointments']['cancelled']>,
    };
  };
  const changesOfEach = <Name extends 'seller_id' | 'service_id'>(name: Name, ids: readonly string[], called: string) =>
    ids.toSorted().flatMap((id) => {
      const of = history.appointmentFacts.filter(
        (fact) => (name === 'seller_id' ? fact.sellerId : fact.serviceId) === id && within(fact.at),
      );
      return of.length === 0 ? [] : [{ [name]: id, name: called, ...changes(of) } as Record<Name, string> & Named];
    });
  type Named = { name: string } & ReturnType<typeof changes>;
  const converted = first('converted');
  const created = count(leads.map(({ createdAt }) => createdAt));
  return {
    leads: {
      created,
      converted: converted.length,
      lost: first('lost').length,
      conversion_rate: created === 0 ? null : Number((converted.length / created).toFixed(4)),
      by_status: byStatus(leadStatuses, leads),
    },
    conversations: {
      sessions_started: count(sessions.map(({ startedAt }) => startedAt)),
      sessions_ended: count(sessions.map(({ endedAt }) => endedAt)),
      messages_inbound: count(messages.filter((one) => one.direction === 'inbound').map(({ createdAt }) => createdAt)),
      messages_outbound: {
        ...{ ai: taken('ai'), seller: taken('seller'), api: taken('api'), followup: taken('followup') },
      },
      messages_priced: { billable: priced('billed'), free: priced('free') },
      // The platform of the test has no rate file.
      messages_cost: { currency: null, amount: null, without_rate: count(billedAt), amounts: nothing },
      messages_failed: count(outbound.map(({ failedAt }) => failedAt)),
      first_response_seconds: {
        p50: percentile(responsesMs, 0.5),
        p90: percentile(responsesMs, 0.9),
        average: responsesMs.length === 0 ? null : Math.round(sum(responsesMs) / responsesMs.length) / 1000,
      },
      by_ad: [],
    },
    appointments: {
      created: count(appointments.map(({ createdAt }) => createdAt)),
      without_lead: count(appointments.filter(({ leadId }) => leadId === null).map(({ createdAt }) => createdAt)),
      ...changes(history.appointmentFacts),
      by_status: byStatus(appointmentStatuses, appointments),
      by_seller: changesOfEach('seller_id', sellers, 'Ana'),
      by_service: changesOfEach('service_id', history.services, 'Eye test'),
    },
    followups: {
      scheduled: count(followups.map(({ createdAt }) => createdAt)),
      ...{ sent: settled('sent'), failed: settled('failed'), cancelled: settled('cancelled') },
    },
    sellers: sellers.map((seller_id) => ({
      seller_id,
      name: 'Ana',
      leads: leads.filter(({ sellerId }) => sellerId === seller_id).length,
      converted: converted.filter(({ sellerId }) => sellerId === seller_id).length,
    })),
  };
}

/** The same for one lead. Also takes the ends of the span, which bound the time in each status. */
export function recountLead(
  history: History,
  leadId: string,
  within: Span,
  [from, to]: readonly [Date, Date],
): Omit<LeadReport, 'period' | 'lead'> {
  const of = <Row extends { leadId: string | null }>(rows: readonly Row[]) =>
    rows.filter((row) => row.leadId === leadId);
  const own: History = {
    ...history,
    leads: history.leads.filter(({ id }) => id === leadId),
    statusChanges: of(history.statusChanges),
    sessions: of(history.sessions),
    messages: of(history.messages),
    appointments: of(history.appointments),
    followups: of(history.followups),
  };
  const {
    leads,
    conversations: { by_ad: _ads, ...conversations },
    appointments,
    followups,
  } = recount(own, within);
  const interactions: (Date | null)[] = own.messages
    .map((message) => (message.direction === 'inbound' ? message.createdAt : message.takenAt))
    .filter((at) => at !== null && within(at));
  const lastInteraction = interactions.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  const secondsIn = (status: string) =>
    sum(
      own.statusChanges.map((change, n) => {
        if (change.to !== status) return 0;
        const until = Math.min(to.getTime(), own.statusChanges[n + 1]?.at.getTime() ?? Number.POSITIVE_INFINITY);
        return Math.max(0, until - Math.max(from.getTime(), change.at.getTime())) / 1000;
      }),
    );
  return {
    leads: {
      ...{ created: leads.created, converted: leads.converted, lost: leads.lost },
      seconds_in_status: Object.fromEntries(
        leadStatuses.map((status) => [status, secondsIn(status)]),
      ) as LeadReport['leads']['seconds_in_status'],
    },
    conversations: { ...conversations, last_interaction_at: lastInteraction?.toISOString() ?? null },
    appointments: { created: appointments.created, by_status: appointments.by_status },
    followups: { ...followups, by_status: byStatus(followupStatuses, own.followups) },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function byStatus<const Status extends string>(statuses: readonly Status[], rows: readonly { status: Status }[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, rows.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}

/** The upper limit of the bucket that has the value of this rank. */
function percentile(responsesMs: readonly number[], share: number): number | null {
  if (responsesMs.length === 0) return null;
  const ms = responsesMs.toSorted((a, b) => a - b)[Math.ceil(share * responsesMs.length) - 1] as number;
  return (
    firstResponseBucketSeconds.find((limit) => ms <= limit * 1000) ?? (firstResponseBucketSeconds.at(-1) as number)
  );
}
