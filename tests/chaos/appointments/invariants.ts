import { type Appointment, type DomainEvent, eventStream } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/log';
import { connectNats } from '@mostrador/kit/nats';
import { Client, Connection } from '@temporalio/client';
import postgres from 'postgres';
import { readEvents } from '../../../services/scheduling/test/caldav-servers.ts';
import type { Entry, Journal } from './journal.ts';
import { type ChaosStore, type Platform, requestTimeoutMs } from './platform.ts';

export type Findings = {
  rows: number;
  /** Acknowledged and not there, or not as acknowledged. */
  lost: string[];
  /** There more than once: rows, ids, events. */
  doubled: string[];
  /** Everything else that must hold and does not. */
  broken: string[];
  /** Runs of workflows, and of how many appointments. */
  runs: number;
  carried: number;
};

export type Row = {
  id: string;
  store_id: string;
  notes: string;
  title: string;
  scheduled_at: Date;
  duration_minutes: number;
  lead_id: string | null;
  status: Appointment['status'];
  created_at: Date;
};
type Open = { sql: postgres.Sql; temporal: Client };

const pollMs = 500;
/** Longer than the sweep leaves anything alone, and a calendar after a few failures. */
const noProgressMs = 90_000;
/** Of what is left this many are looked into. */
const lookedInto = 20;
/** What a row may be younger than the last deadline of its requests, by the resolution of clocks and BEGIN's place. */
const clockMs = 250;

/** Waits until nothing is left to be done, or nothing gets done any more; what is left then the invariants tell. */
export async function drain(platform: Platform): Promise<number> {
  const startedAt = performance.now();
  let [least, progressAt] = [Number.POSITIVE_INFINITY, startedAt];
  await withServers(platform, async ({ sql, temporal }) => {
    while (performance.now() - progressAt < noProgressMs) {
      const [rows] = await sql`
        select (select count(*) from scheduling.outbox) + (select count(*) from crm.outbox)
             + (select count(*) from scheduling.calendar_syncs where state <> 'synced') as count`;
      const left = Number(rows?.count) + (await temporal.workflow.count("ExecutionStatus = 'Running'")).count;
      if (left === 0) return;
      if (left < least) [least, progressAt] = [left, performance.now()];
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  });
  return (performance.now() - startedAt) / 1000;
}

/** Compares what the clients were told with what is there, everywhere it shows. */
export async function checkEverything(
  platform: Platform,
  stores: readonly ChaosStore[],
  journal: Journal,
): Promise<Findings> {
  return await withServers(platform, async (open) => {
    const findings: Findings = { rows: 0, lost: [], doubled: [], broken: [], runs: 0, carried: 0 };
    const rows = await open.sql<Row[]>`select * from scheduling.appointments where notes like 'chaos %'`;
    findings.rows = rows.length;
    checkRows(journal, rows, findings);
    await checkNothingIsLeft(open, findings);
    await checkWorkflows(open, rows, findings);
    await checkCalendars(platform, stores, rows, findings);
    await checkStream(platform, rows, findings);
    return findings;
  });
}

/** What the rows say about what the clients were told. */
export function checkRows(
  journal: Pick<Journal, 'entries'>,
  rows: readonly Row[],
  { lost, doubled, broken }: Pick<Findings, 'lost' | 'doubled' | 'broken'>,
): void {
  const byNotes = Map.groupBy(rows, ({ notes }) => notes);
  for (const entry of journal.entries) {
    const found = byNotes.get(entry.notes) ?? [];
    byNotes.delete(entry.notes);
    const [row] = found;
    if (found.length > 1) doubled.push(`${found.length} rows of the key ${entry.key}`);
    if (entry.ids.size > 1) doubled.push(`${entry.ids.size} ids were answered to the key ${entry.key}`);
    if (entry.acknowledged !== undefined && !row) lost.push(`the key ${entry.key} was acknowledged and has no row`);
    if (!row) continue;
    const fault = faultOf(entry, row);
    if (fault) (entry.acknowledged === undefined ? broken : lost).push(`the key ${entry.key}: ${fault}`);
    if (entry.attempts.every(({ status }) => status === 503)) {
      broken.push(`the key ${entry.key} was only ever answered 503, and has a row`);
    }
    const inTime = entry.attempts.some(
      ({ sentAt }) =>
        row.created_at.getTime() >= sentAt - clockMs && row.created_at.getTime() <= sentAt + requestTimeoutMs + clockMs,
    );
    if (!inTime) broken.push(`the key ${entry.key} was carried out after the deadline of every request`);
  }
  for (const notes of byNotes.keys()) broken.push(`a row that nobody asked for: ${notes}`);
}

/** What is in the row and not what was asked for and acknowledged. */
function faultOf({ store, body, may, ids }: Entry, row: Row): string | undefined {
  if (row.store_id !== store.id) return 'the row is in another store';
  if (ids.size > 0 && !ids.has(row.id)) return 'the row has another id than was answered';
  if (row.scheduled_at.toISOString() !== body.scheduled_at) return 'another time';
  if (row.duration_minutes !== body.duration_minutes || row.lead_id !== body.lead_id) return 'another content';
  if (!may.some(({ title, status }) => title === row.title && status === row.status)) {
    return `${row.status} and "${row.title}" is none of what it may be`;
  }
  return undefined;
}

async function checkNothingIsLeft({ sql, temporal }: Open, { broken }: Findings): Promise<void> {
  for (const service of ['scheduling', 'crm', 'messaging']) {
    const [outbox] = await sql`select count(*)::int as count from ${sql(service)}.outbox`;
    if (outbox?.count > 0) broken.push(`${outbox?.count} entries are left in the outbox of ${service}`);
  }
  const syncs = await sql`
    select appointment_id, state, attempts, last_error_code from scheduling.calendar_syncs where state <> 'synced'`;
  if (syncs.length > lookedInto) broken.push(`${syncs.length} appointments are not synced`);
  for (const { appointment_id: id, state, attempts, last_error_code: code } of syncs.slice(0, lookedInto)) {
    const status = await temporal.workflow
      .getHandle(`appointment:${id}`)
      .describe()
      .then(
        (found) => found.status.name,
        () => 'not there',
      );
    broken.push(`the sync of ${id} is ${state} after ${attempts} attempts (${code}); its workflow is ${status}`);
  }
  const unasked = await sql`
    select count(*)::int as count from scheduling.appointments a
    left join scheduling.calendar_syncs s on s.store_id = a.store_id and s.appointment_id = a.id
    where s.appointment_id is null`;
  if (unasked[0]?.count > 0) broken.push(`${unasked[0]?.count} appointments were never to be synced`);
}

async function checkWorkflows({ temporal }: Open, rows: readonly Row[], findings: Findings): Promise<void> {
  const carried = new Set<string>();
  for await (const { workflowId, status } of temporal.workflow.list()) {
    findings.runs += 1;
    carried.add(workflowId);
    if (status.name === 'RUNNING') findings.broken.push(`${workflowId} is still open`);
    else if (status.name === 'FAILED' || status.name === 'TIMED_OUT')
      findings.broken.push(`${workflowId} ${status.name}`);
  }
  findings.carried = carried.size;
  for (const { id } of rows) {
    if (!carried.delete(`appointment:${id}`)) findings.broken.push(`the appointment ${id} never had a workflow`);
  }
  for (const id of carried) findings.broken.push(`the workflow ${id} is of no appointment`);
}

async function checkCalendars(
  { radicale }: Platform,
  stores: readonly ChaosStore[],
  rows: readonly Row[],
  findings: Findings,
): Promise<void> {
  for (const store of stores) {
    const own = rows.filter(({ store_id, status }) => store_id === store.id && status !== 'cancelled');
    const events = store.feedUrl ? await readFeed(store.feedUrl) : await readEvents(radicale);
    const titles = Map.groupBy(events, ({ uid }) => uid.replace(/@.*$/, ''));
    for (const { id, title } of own) {
      const found = titles.get(id) ?? [];
      titles.delete(id);
      if (found.length === 0) findings.broken.push(`${id} is not in its ${store.calendar}`);
      else if (found.length > 1) findings.doubled.push(`${id} is ${found.length} times in its ${store.calendar}`);
      else if (found[0]?.title !== title) findings.broken.push(`${id} is in its ${store.calendar} as it was before`);
    }
    for (const id of titles.keys()) findings.broken.push(`${id} is in a ${store.calendar} and should not be`);
  }
}

async function readFeed(url: string): Promise<{ uid: string; title: string }[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`a feed answered ${response.status}`);
  const text = (await response.text()).replaceAll(/\r\n[ \t]/g, '');
  return text
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((event) => ({
      uid: /\r\nUID:(.*)\r\n/.exec(event)?.[1] ?? '',
      title: /\r\nSUMMARY:(.*)\r\n/.exec(event)?.[1] ?? '',
    }));
}

/** Every creation was published, and once. */
async function checkStream({ servers }: Platform, rows: readonly Row[], findings: Findings): Promise<void> {
  const log = createLog({ service: 'chaos', level: 'silent', format: 'json' });
  const nats = await connectNats({ url: servers.natsUrl, name: 'chaos', log });
  try {
    const { streams } = await nats.jetstreamManager();
    const { state } = await streams.info(eventStream.name);
    const published = new Map<string, number>();
    const consumer = await nats.jetstream().consumers.get(eventStream.name);
    const messages = state.messages > 0 ? await consumer.consume() : [];
    for await (const message of messages) {
      const { type, data } = message.json<DomainEvent>();
      if (type === 'scheduling.appointment.created' && 'appointment_id' in data) {
        published.set(data.appointment_id, (published.get(data.appointment_id) ?? 0) + 1);
      }
      if (message.seq >= state.last_seq) break;
    }
    for (const { id } of rows) {
      const times = published.get(id) ?? 0;
      if (times === 0) findings.lost.push(`the creation of ${id} was never published`);
      else if (times > 1) findings.doubled.push(`the creation of ${id} was published ${times} times`);
    }
  } finally {
    await nats.close();
  }
}

async function withServers<T>(platform: Platform, work: (open: Open) => Promise<T>): Promise<T> {
  const sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => {} });
  const connection = await Connection.connect({ address: platform.servers.temporalAddress });
  try {
    return await work({ sql, temporal: new Client({ connection }) });
  } finally {
    await Promise.all([sql.end({ timeout: 2 }), connection.close()]);
  }
}
