import type { ChaosStore, Entry, Journal } from './journal.ts';
import { requestTimeoutMs as usualTimeoutMs } from './platform.ts';
import type { Slot } from './wishes.ts';

export type Answer = { status: number; text: string; replayed: boolean; code?: string };

/** A client without an answer gives up this long after the deadline. */
const patienceMs = 10_000;
/** A request counts as late when it has no answer this long after its deadline. */
export const lateAfterMs = 1_000;
/** Statuses that faults explain: nothing was done (503), or the outcome is unknown. 0: the connection broke. */
const excused = new Set([0, 503, 504]);
const excusedCodes = new Set(['idempotency_in_progress', 'followup_not_pending']);
/** What bookings may be answered, too: others took the place, or changed the appointment in the calendar. */
const ofBookings: ReadonlySet<string> = new Set([
  'appointment_conflict',
  'hold_not_found',
  'appointment_not_scheduled',
]);
/** What messages to a lead may be answered, too, when it is merged into another one. */
const ofMergedLeads: ReadonlySet<string> = new Set(['lead_not_found']);
const none: ReadonlySet<string> = new Set();

export type Asker = ReturnType<typeof createAsker>;

/** Sends requests and records the answers in the journal. */
export function createAsker(options: {
  baseUrls: () => readonly string[];
  stores: readonly ChaosStore[];
  journal: Journal;
  /** Response times count for `journal.watch`. */
  watched?: boolean;
  /** That of the gateways, when it is not the usual one of the platform. */
  requestTimeoutMs?: number;
}) {
  const { baseUrls, stores, journal, watched = false, requestTimeoutMs = usualTimeoutMs } = options;
  const { counts, unexpected } = journal;
  const keys = new Map(stores.map(({ id, key }) => [id, key]));
  let turn = 0;

  async function ask(
    storeId: string,
    method: string,
    path: string,
    more: { body?: object; key?: string; attempts?: Entry['attempts']; may?: ReadonlySet<string> } = {},
  ): Promise<Answer> {
    const { body, key, attempts, may = none } = more;
    const urls = baseUrls();
    const url = urls[turn++ % urls.length];
    const [sentAt, startedAt, changesBefore] = [Date.now(), performance.now(), journal.clientsWayChanges];
    const answer = await exchange(`${url}${path}`, {
      method,
      headers: {
        'x-api-key': keys.get(storeId) as string,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs + patienceMs),
    });
    const afterMs = performance.now() - startedAt;
    const { status, code = '' } = answer;
    const wasGood = changesBefore % 2 === 0 && changesBefore === journal.clientsWayChanges;
    attempts?.push({ sentAt, status, afterMs, wasGood, limitMs: requestTimeoutMs });
    counts.requests += 1;
    if (watched) journal.watch?.(afterMs);
    const lateMs = afterMs - requestTimeoutMs;
    if (wasGood && lateMs > Math.min(journal.latest.ms, lateAfterMs)) {
      const what = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`;
      const moment = new Date(sentAt).toISOString().slice('2027-01-31T'.length, -1);
      const outcome = status === 0 ? 'never answered' : `answered ${status}`;
      const told = `${what}, sent at ${moment}, ${outcome}`;
      if (lateMs > journal.latest.ms) journal.latest = { ms: lateMs, what: told };
      if (lateMs > lateAfterMs) journal.late.push({ what: `${told} after ${afterMs.toFixed(0)} ms`, status });
    }
    if (status >= 200 && status < 300) counts.acknowledged += 1;
    else if (status === 503) counts.unavailable += 1;
    else if (status === 409) counts.refused += 1;
    else counts.unknown += 1;
    if (excused.has(status)) journal.failed?.push(`${method} ${path} answered ${status} ${answer.text.slice(0, 200)}`);
    const isExcused = excused.has(status) || excusedCodes.has(code) || may.has(code);
    if (status >= 300 && !isExcused) {
      unexpected.push(`${method} ${path} answered ${status} ${answer.text.slice(0, 300)}`);
    }
    if (stores.some(({ id }) => id !== storeId && answer.text.includes(id))) {
      unexpected.push(`${method} ${path} answered data of another store`);
    }
    return answer;
  }

  return {
    async create(entry: Entry): Promise<void> {
      const { storeId, path, body, key, attempts } = entry;
      const may = entry.kind === 'booking' ? ofBookings : entry.toMerged ? ofMergedLeads : none;
      const answer = await ask(storeId, 'POST', path, { body, key, attempts, may });
      if (may.has(answer.code ?? '')) entry.abandoned = true;
      if (answer.status < 200 || answer.status > 201) return;
      entry.ids.add(JSON.parse(answer.text).id);
      if (answer.replayed) counts.replayed += 1;
      entry.acknowledgedAt ??= Date.now();
      entry.acknowledged ??= answer.text;
      if (entry.acknowledged !== answer.text) unexpected.push(`POST with key ${key} got two different answers`);
    },

    async change(entry: Entry, change: Readonly<Record<string, string>>): Promise<void> {
      const content = entry.may[0] ?? {};
      const changed = { ...content, ...change };
      const { status } = await ask(entry.storeId, 'PATCH', pathOf(entry), { body: change });
      if (status === 200) entry.may = [changed];
      // After a 503 nothing has changed. Other failures leave the outcome unknown.
      else if (status !== 503) entry.may = [content, changed];
    },

    async cancel(entry: Entry): Promise<void> {
      const { status } = await ask(entry.storeId, 'DELETE', pathOf(entry));
      if (status === 200) entry.cancel = 'cancelled';
      // If an earlier cancellation got no answer, it may have succeeded, and then this 409 says nothing.
      else if (entry.cancel !== 'not asked' || status === 503) return;
      else entry.cancel = status === 409 ? 'refused' : 'unknown';
    },

    /** Holds a time. Resolves with the hold's id, if it is known. */
    async hold(storeId: string, { start, minutes }: Slot): Promise<string | undefined> {
      const body = { start: new Date(start).toISOString(), duration_minutes: minutes };
      const { status, text } = await ask(storeId, 'POST', '/availability/holds', { body, may: ofBookings });
      return status === 201 ? JSON.parse(text).id : undefined;
    },

    /** Moves a booking. Nothing is kept of the outcome, because another program may move it in the calendar. */
    async move(entry: Entry, { start, minutes }: Slot): Promise<void> {
      const body = { scheduled_at: new Date(start).toISOString(), duration_minutes: minutes };
      await ask(entry.storeId, 'PATCH', pathOf(entry), { body, may: ofBookings });
    },

    async cancelBooking(entry: Entry): Promise<void> {
      const body = { status: 'cancelled' };
      const { status } = await ask(entry.storeId, 'PATCH', pathOf(entry), { body, may: ofBookings });
      if (status === 200) entry.cancel = 'cancelled';
    },

    /** Reads an acknowledged entry and compares it with the acknowledged content. */
    async read(entry: Entry): Promise<Answer> {
      const answer = await ask(entry.storeId, 'GET', pathOf(entry));
      const { status, text } = answer;
      if (status !== 200) return answer;
      const found = JSON.parse(text);
      const isAsAcknowledged = entry.may.some((content) =>
        Object.entries(content).every(([name, value]) => found[name] === value),
      );
      if (!isAsAcknowledged) unexpected.push(`GET ${pathOf(entry)} answered other content than was acknowledged`);
      return answer;
    },

    /** Reads a list. Only data of another store is an error. */
    async list(storeId: string, path: string): Promise<Answer> {
      return await ask(storeId, 'GET', path);
    },
  };
}

const pathOf = ({ path, ids }: Entry): string => `${path}/${[...ids][0]}`;

async function exchange(url: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, request);
    const text = await response.text();
    const replayed = response.headers.get('idempotent-replay') === 'true';
    return { status: response.status, text, replayed, ...(!response.ok && { code: JSON.parse(text).code }) };
  } catch {
    return { status: 0, text: '', replayed: false };
  }
}
