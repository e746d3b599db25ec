import {
  closeConversationReports,
  closeLeadReports,
  closeSchedulingReports,
  type LeadReport,
  reportServices,
  type SummaryReport,
  verifyConversationReports,
  verifyLeadReports,
  verifySchedulingReports,
} from '@mostrador/contracts';
import { createRandom } from '@mostrador/testing/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Store, startPlatform } from '../chaos/exact/stage.ts';
import { calendarOf, dateAfter } from './calendar.ts';
import { type Case, createCase, eras } from './cases.ts';
import { createHistory, type Era, type History } from './history.ts';
import { insertHistory } from './insert-history.ts';
import { recountLead } from './recount.ts';

/** Different in each run. `REPORTS_SEED` repeats a run. */
const seed = Number(process.env.REPORTS_SEED ?? Date.now() % 1_000_000);
const random = createRandom(seed);
const casesAZone = 12;
const zones = Object.keys(eras);

type Told = { readonly history: History; readonly store: Store; readonly cases: readonly Case[] };

let platform: Awaited<ReturnType<typeof startPlatform>>;
const told = new Map<string, Told>();

beforeAll(async () => {
  platform = await startPlatform({
    service: 'scheduling',
    processes: ['gateway', 'crm', 'messaging', 'scheduling'],
    requestTimeoutMs: 10_000,
  });
  for (const zone of zones) {
    const store = await platform.newStore();
    const history = createHistory(random, store.id, eras[zone] as Era);
    await insertHistory(platform.database.adminSql, history);
    const cases = Array.from({ length: casesAZone }, () => createCase(random, zone, history));
    told.set(zone, { store, history, cases });
  }
});
afterAll(() => platform?.stop());

describe.each([
  ['nothing is closed', async () => {}],
  ['everything is closed', closeEverything],
  ['half of the quarter-hours are closed', openHalf],
] as const)('%s', (state, bringAbout) => {
  beforeAll(bringAbout);

  test.each(zones)('the summary equals a direct recount of the rows: %s', async (zone) => {
    const { cases, store } = told.get(zone) as Told;
    for (const { query, dates, report: expected, series } of cases) {
      const path = `summary?${new URLSearchParams(query)}`;
      const hint = `${path}, ${state}, seed ${seed}`;
      const { period, series: buckets = [], ...report } = await get<SummaryReport>(store, path);
      expect({ ...report, sellers: byId(report.sellers) }, hint).toEqual({
        ...expected,
        sellers: byId(expected.sellers),
      });
      expect(datesOf(zone, period), hint).toEqual(dates);
      expect(
        buckets.map(({ start, ...counts }) => counts),
        hint,
      ).toEqual([...series.values()]);
      expectStarts(zone, buckets, { query, period, series }, hint);
    }
  });

  test.each(zones)(
    "the summary is the sum of the leads' reports and of the appointments without a lead: %s",
    async (zone) => {
      const { cases, store, history } = told.get(zone) as Told;
      for (const { query, within, report: summary } of cases.slice(0, 3)) {
        const { bucket: _, ...periodQuery } = query;
        const reports: ReturnType<typeof additive>[] = [];
        for (const { id } of history.leads) {
          const path = `leads?${new URLSearchParams({ ...periodQuery, lead_id: id })}`;
          const { period, lead, ...report } = await get<LeadReport>(store, path);
          const ends = [new Date(period.from as string), new Date(period.to as string)] as const;
          expect(lead.id).toBe(id);
          expect(rounded(report), `${path}, ${state}, seed ${seed}`).toEqual(
            rounded(recountLead(history, id, within, ends)),
          );
          reports.push(additive(report));
        }
        const all = additive(summary);
        const withLead = { ...all, appointments: all.appointments - summary.appointments.without_lead };
        for (const [metric, count] of Object.entries(withLead)) {
          const sum = reports.reduce((total, report) => total + report[metric as keyof typeof report], 0);
          expect(sum, `${metric}, ${JSON.stringify(query)}, ${state}, seed ${seed}`).toBe(count);
        }
      }
    },
  );
});

test('verify finds no difference between closed reports and facts', async () => {
  await closeEverything();
  for (const operation of [verifyLeadReports, verifyConversationReports, verifySchedulingReports]) {
    let quarters = 0;
    let after: string | null = null;
    do {
      const found: { next: string | null; quarters: number; wrong: unknown[] } = await platform.call(operation, {
        body: { after },
      });
      expect(found.wrong, `seed ${seed}`).toEqual([]);
      quarters += found.quarters;
      after = found.next;
    } while (after !== null);
    expect(quarters).toBeGreaterThan(0);
  }
});

async function get<Report>(store: Store, path: string): Promise<Report> {
  const response = await fetch(`${platform.url()}/reports/${path}`, { headers: { 'x-api-key': store.key } });
  const body = await response.json();
  expect(response.status, `${path}: ${JSON.stringify(body)}`).toBe(200);
  return body as Report;
}

async function closeEverything(): Promise<void> {
  for (const operation of [closeLeadReports, closeConversationReports, closeSchedulingReports]) {
    for (let more = true; more; ) ({ more } = await platform.call(operation, {}));
  }
}

/** Resets the rollups to a state in which only the first half of the quarter-hours is closed. */
async function openHalf(): Promise<void> {
  const { adminSql } = platform.database;
  for (const service of reportServices) {
    const quarters = adminSql(`${service}.report_quarters`);
    const [middle] = await adminSql`
      select percentile_disc(0.5) within group (order by quarter) as quarter from ${quarters}`;
    await adminSql`update ${adminSql(`${service}.report_closing`)} set closed_until = ${middle?.quarter}`;
    await adminSql`delete from ${quarters} where quarter >= ${middle?.quarter}`;
  }
}

const byId = (sellers: SummaryReport['sellers']) => sellers.toSorted((a, b) => (a.seller_id < b.seller_id ? -1 : 1));

/** The first and the last date of a period. */
function datesOf(zone: string, { from, to }: SummaryReport['period']): [string, string] {
  const { dateOf } = calendarOf(zone);
  return [dateOf(new Date(from as string)), dateOf(new Date(Date.parse(to as string) - 1))];
}

/** Checks that each bucket starts with its first date. The first bucket starts with the period. */
function expectStarts(
  zone: string,
  buckets: NonNullable<SummaryReport['series']>,
  { query, period, series }: Pick<Case, 'query' | 'series'> & Pick<SummaryReport, 'period'>,
  hint: string,
): void {
  const { dateOf } = calendarOf(zone);
  const [, ...later] = [...series.keys()];
  expect(buckets[0]?.start ?? period.from, hint).toBe(period.from);
  const starts = buckets.slice(1).map(({ start }) => new Date(start));
  expect(starts.map(dateOf), hint).toEqual(later);
  expect(
    starts.map((start) => dateOf(new Date(start.getTime() - 1))),
    hint,
  ).toEqual(later.map((date) => dateAfter(date, -1)));
  if (query.from?.length === 10) {
    expect(dateOf(new Date(Date.parse(period.from as string) - 1)), hint).toBe(dateAfter(query.from, -1));
    expect(dateOf(new Date(period.to as string)), hint).toBe(dateAfter(query.to as string, 1));
  }
}

/** The report with the seconds in each status rounded to milliseconds. */
function rounded(report: Omit<LeadReport, 'period' | 'lead'>): Omit<LeadReport, 'period' | 'lead'> {
  const { seconds_in_status: seconds, ...leads } = report.leads;
  const entries = Object.entries(seconds).map(([status, each]) => [status, Math.round(each * 1000) / 1000]);
  return { ...report, leads: { ...leads, seconds_in_status: Object.fromEntries(entries) } };
}

/** The metrics that can be summed over leads. */
function additive({
  leads,
  conversations,
  appointments,
  followups: { scheduled, sent, failed, cancelled },
}: Pick<SummaryReport, 'conversations' | 'followups'> & {
  leads: Pick<SummaryReport['leads'], 'created' | 'converted' | 'lost'>;
  appointments: Pick<SummaryReport['appointments'], 'created'>;
}) {
  const {
    messages_outbound: outbound,
    sessions_started,
    sessions_ended,
    messages_inbound,
    messages_failed,
    messages_priced = {},
  } = conversations;
  return {
    ...{ created: leads.created, converted: leads.converted, lost: leads.lost },
    ...{ sessions_started, sessions_ended, messages_inbound, messages_failed, ...outbound },
    ...flat('priced', messages_priced),
    appointments: appointments.created,
    ...{ scheduled, sent, failed, cancelled },
  };
}

/** The numbers of nested objects, by their path. */
const flat = (path: string, counts: object): Record<string, number> =>
  Object.assign(
    {},
    ...Object.entries(counts).map(([name, count]) =>
      typeof count === 'number' ? { [`${path}.${name}`]: count } : flat(`${path}.${name}`, count),
    ),
  );
