import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Content, Entry, Journal } from './journal.ts';
import { type ChaosStore, requestTimeoutMs } from './platform.ts';
import type { Random } from './random.ts';

export type Load = {
  /** Clients finish what they are at and send no more. */
  stop(): Promise<void>;
};

/**
 * How many clients ask at once, and how long each rests between two requests: a load that Temporal's dev server can work
 * off again after an outage. Radicale takes far less than a feed.
 */
const clients = { feed: { count: 8, restMs: 350 }, caldav: { count: 2, restMs: 600 } };
/** A client that hears nothing at all gives up this long after the deadline. */
const patienceMs = 15_000;
const triesUnderLoad = 12;
/** Statuses that say: nothing was done, or nobody knows. 0: the connection broke. */
const excused = new Set([0, 503, 504, 409]);

type Answer = { status: number; text: string; replayed: boolean; code?: string };

/** Clients that create, ask again, change, cancel and read, each in a loop of its own, and note what they are told. */
export function startLoad(options: {
  baseUrl: string;
  stores: readonly ChaosStore[];
  journal: Journal;
  random: Random;
}): Load {
  const { baseUrl, stores, journal, random } = options;
  let on = true;
  const asker = createAsker(baseUrl, journal);
  const client = async (calendar: ChaosStore['calendar'], restMs: number) => {
    const own = stores.filter((store) => store.calendar === calendar);
    while (on) {
      const roll = random.next();
      const entry = roll < 0.65 ? undefined : take(journal, calendar, random);
      if (!entry) await createOne(asker, journal, random.pick(own), random, () => on);
      else if (roll < 0.75) await asker.create(entry);
      else if (roll < 0.85) await asker.change(entry, { title: `${entry.body.title} ${randomUUID()}` });
      else if (roll < 0.92) await asker.change(entry, { status: 'cancelled' });
      else await asker.read(entry);
      if (entry) entry.busy = entry.may.length > 1;
      await pause(restMs * (0.5 + random.next()));
    }
  };
  const running = (['feed', 'caldav'] as const).flatMap((calendar) =>
    Array.from({ length: clients[calendar].count }, () => client(calendar, clients[calendar].restMs)),
  );
  return {
    async stop() {
      on = false;
      await Promise.all(running);
    },
  };
}

/** Asks once more for everything whose client still wants to know, when the faults are over. Those must succeed. */
export async function askForTheRest(baseUrl: string, journal: Journal): Promise<void> {
  const asker = createAsker(baseUrl, journal);
  for (const entry of journal.entries) {
    for (let tries = 0; entry.acknowledged === undefined && !entry.abandoned && tries < 5; tries += 1) {
      await asker.create(entry);
    }
    if (entry.acknowledged === undefined && !entry.abandoned) {
      journal.unexpected.push(`after the faults POST with key ${entry.key} was still not answered`);
    }
  }
}

async function createOne(
  asker: Asker,
  journal: Journal,
  store: ChaosStore,
  random: Random,
  isOn: () => boolean,
): Promise<void> {
  const key = randomUUID();
  const notes = `chaos ${key}`;
  const body = {
    title: `Corte ${key}`,
    scheduled_at: new Date(Date.now() + (1 + random.below(60)) * 86_400_000).toISOString(),
    duration_minutes: 15 + random.below(90),
    notes,
    lead_id: random.next() < 0.5 ? store.leadId : null,
  };
  const may: Content[] = [{ title: body.title, status: 'scheduled' }];
  const entry: Entry = { store, key, notes, body, attempts: [], ids: new Set(), abandoned: false, may, busy: true };
  journal.entries.push(entry);
  for (let tries = 0; tries < triesUnderLoad && isOn(); tries += 1) {
    await asker.create(entry);
    if (entry.acknowledged !== undefined) break;
    if (tries === 0 && random.next() < 0.25) {
      entry.abandoned = true;
      break;
    }
    await pause(200 + random.below(800));
  }
  entry.busy = false;
}

/** One that is acknowledged, known in its content and not in another client's hands; the younger the likelier. */
function take(journal: Journal, calendar: ChaosStore['calendar'], random: Random): Entry | undefined {
  for (let tries = 0; tries < 20; tries += 1) {
    const { length } = journal.entries;
    const entry = journal.entries[length - 1 - random.below(Math.min(length, 400))];
    if (!entry || entry.busy || entry.acknowledged === undefined || entry.store.calendar !== calendar) continue;
    if (entry.may[0]?.status !== 'scheduled') continue;
    entry.busy = true;
    return entry;
  }
  return undefined;
}

type Asker = ReturnType<typeof createAsker>;

function createAsker(baseUrl: string, journal: Journal) {
  const { counts } = journal;

  async function ask(entry: Entry, method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const [sentAt, startedAt] = [Date.now(), performance.now()];
    const answer = await exchange(`${baseUrl}${path}`, {
      method,
      headers: {
        'x-api-key': entry.store.key,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs + patienceMs),
    });
    const afterMs = performance.now() - startedAt;
    counts.requests += 1;
    journal.latestMs = Math.max(journal.latestMs, afterMs - requestTimeoutMs);
    const { status } = answer;
    if (status >= 200 && status < 300) counts.acknowledged += 1;
    else if (status === 503) counts.unavailable += 1;
    else counts.unknown += 1;
    if (status >= 300 && !(excused.has(status) && (status !== 409 || answer.code === 'idempotency_in_progress'))) {
      journal.unexpected.push(`${method} ${path} answered ${status} ${answer.text.slice(0, 300)}`);
    }
    if (method === 'POST') entry.attempts.push({ sentAt, status, afterMs });
    return answer;
  }

  return {
    async create(entry: Entry): Promise<void> {
      const answer = await ask(entry, 'POST', '/appointments', entry.body, entry.key);
      if (answer.status !== 201) return;
      entry.ids.add(JSON.parse(answer.text).id);
      if (answer.replayed) counts.replayed += 1;
      entry.acknowledged ??= answer.text;
      if (entry.acknowledged !== answer.text) {
        journal.unexpected.push(`POST with key ${entry.key} was answered in two ways`);
      }
    },

    async change(entry: Entry, change: Partial<Content>): Promise<void> {
      const [content] = entry.may as [Content];
      const [id] = entry.ids;
      counts.changes += 1;
      const { status } = await ask(entry, 'PATCH', `/appointments/${id}`, change);
      if (status === 200) entry.may = [{ ...content, ...change }];
      // Not 503: then nothing was done.
      else if (status !== 503) entry.may = [content, { ...content, ...change }];
    },

    async read(entry: Entry): Promise<void> {
      const [content] = entry.may as [Content];
      const [id] = entry.ids;
      const { status, text } = await ask(entry, 'GET', `/appointments/${id}`);
      if (status !== 200) return;
      const seen = JSON.parse(text);
      if (seen.title !== content.title || seen.status !== content.status) {
        journal.unexpected.push(`GET ${id} answered another content than was acknowledged`);
      }
    },
  };
}

async function exchange(url: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, request);
    const text = await response.text();
    const replayed = response.headers.get('idempotent-replay') === 'true';
    return { status: response.status, text, replayed, code: response.ok ? undefined : JSON.parse(text).code };
  } catch {
    return { status: 0, text: '', replayed: false };
  }
}
