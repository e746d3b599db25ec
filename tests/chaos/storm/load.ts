import { setTimeout as pause } from 'node:timers/promises';
import { inboundPayload, newWamid } from '@mostrador/testing/providers/whatsapp/webhooks';
import type { Random } from '@mostrador/testing/random';
import { type Answer, type Asker, createAsker } from './ask.ts';
import { book } from './bookings.ts';
import { talk, talkers } from './conversations.ts';
import type { ChaosLead, ChaosStore, Entry, Journal, Kind, Written } from './journal.ts';
import { wishAppointment, wishFollowup, wishLead, wishMessage } from './wishes.ts';

export type Load = {
  /** Lets clients finish their current request and ends the load. */
  stop(): Promise<void>;
};

type LoadOptions = {
  readonly baseUrls: () => readonly string[];
  readonly stores: readonly ChaosStore[];
  readonly journal: Journal;
  readonly random: Random;
  /** Concurrent clients that write and read. */
  readonly clients: number;
  /** Concurrent clients that only read. Reads cost little and must be right at any time. */
  readonly readers: number;
  /** That of the gateways, when it is not the usual one of the platform. */
  readonly requestTimeoutMs?: number;
  /** How far ahead the follow-ups are due that fall due within the run. */
  readonly soonMs?: number;
};

/**
 * The average pause of a client between two requests. Temporal's dev server can clear the backlog of this load after an
 * outage. A store with Radicale gets less load than one with a feed, because Radicale is slow. A reader without a good
 * answer pauses longer, so that quick 503s do not become most of its requests.
 */
const restMs = { feed: 110, caldav: 600, reader: 50, readerAfterError: 1_000 };
const caldavClients = 2;
/** Clients of the store whose appointments take places. */
const bookers = 2;
const triesUnderLoad = 10;
/** Clients repeat, change, cancel and read only the latest entries, this many. */
const recent = 400;
/** How many leads may wait for their first message to be processed. */
const newLeadsAtMost = 20;

/** Starts clients that create, repeat, change, cancel and read, and customers that write. Each runs in its own loop. */
export function startLoad(options: LoadOptions): Load {
  const { stores, journal, random } = options;
  let on = true;
  const asker = createAsker({ ...options, watched: true });
  const isOn = () => on;
  const unwritten: { store: ChaosStore; lead: ChaosLead }[] = [];

  const create = async (entry: Entry): Promise<boolean> => {
    journal.entries.push(entry);
    for (let tries = 0; tries < triesUnderLoad && on; tries += 1) {
      await asker.create(entry);
      if (entry.acknowledged !== undefined) break;
      if (entry.abandoned) break;
      if ((tries === 0 && random.next() < 0.2) || Date.now() > (entry.askUntil ?? Number.POSITIVE_INFINITY)) {
        entry.abandoned = true;
        break;
      }
      await pause(200 + random.below(800));
    }
    entry.busy = false;
    return entry.acknowledged !== undefined;
  };
  const createLead = async (store: ChaosStore) => {
    const entry = wishLead(store);
    if (!(await create(entry)) || unwritten.length > newLeadsAtMost) return;
    const lead = { id: [...entry.ids][0] as string, phone: entry.mark };
    if (await write(store, lead, journal, random, isOn)) unwritten.push({ store, lead });
  };
  /** Adds a new lead to its store once its first message is processed. Only then can the store write to it. */
  const lookForNewLead = async () => {
    const found = unwritten.shift();
    if (!found) return;
    const { status, text } = await asker.list(found.store.id, `/leads/${found.lead.id}/messages?limit=1`);
    if (status === 200 && JSON.parse(text).total > 0) found.store.leads.push(found.lead);
    else unwritten.push(found);
  };

  const client = async (calendar: ChaosStore['calendar']) => {
    const own = stores.filter((store) => store.calendar === calendar && !store.booked && !store.answers);
    while (on) {
      await act(random.pick(own), random.next());
      await pause(restMs[calendar] * (0.5 + random.next()));
    }
  };
  const act = async (store: ChaosStore, roll: number): Promise<unknown> => {
    if (roll < 0.1) return await create(wishAppointment(store, random));
    if (roll < 0.2) return await create(wishMessage(store, random));
    if (roll < 0.26) return await createFollowup(store);
    if (roll < 0.29) return await createLead(store);
    if (roll < 0.37) return await write(store, random.pick(store.leads), journal, random, isOn);
    if (roll < 0.4) return await lookForNewLead();
    if (roll < 0.46) return await withOne([store], undefined, (entry) => asker.create(entry));
    if (roll < 0.52) return await withOne([store], 'appointment', (entry) => change(asker, entry, random));
    if (roll < 0.55) return await withOne([store], 'lead', (entry) => asker.change(entry, { status: 'in_progress' }));
    if (roll < 0.58) return await withOne([store], 'followup', (entry) => asker.cancel(entry));
    return await read([store]);
  };
  const reader = async () => {
    while (on) {
      const answer = await read(stores);
      const isGood = answer === undefined || answer.status === 200;
      await pause(restMs[isGood ? 'reader' : 'readerAfterError'] * (0.5 + random.next()));
    }
  };
  /** Reads one row or a list of one of these stores. */
  const read = async (among: readonly ChaosStore[]): Promise<Answer | undefined> => {
    if (random.next() < 0.7) return await withOne(among, random.pick(readable), (entry) => asker.read(entry));
    return await asker.list(random.pick(among).id, random.pick(lists));
  };
  const createFollowup = async (store: ChaosStore) => {
    const entry = wishFollowup(store, random, options.soonMs);
    // Half of the follow-ups that are due within the run are cancelled within 0.5 s of their due time.
    if (!(await create(entry)) || entry.askUntil === undefined || random.next() < 0.5) return;
    const dueAt = Date.parse(entry.body.due_at as string);
    const cancelled = cancelAfter(entry, dueAt - Date.now() - 500 + random.below(1_000)).finally(() =>
      cancelling.delete(cancelled),
    );
    cancelling.add(cancelled);
  };
  const cancelling = new Set<Promise<void>>();
  const cancelAfter = async (entry: Entry, ms: number) => {
    const until = performance.now() + ms;
    while (on && performance.now() < until) await pause(Math.min(100, Math.max(1, until - performance.now())));
    if (!entry.busy) await asker.cancel(entry);
  };
  const withOne = async <T>(
    among: readonly ChaosStore[],
    kind: Kind | undefined,
    work: (entry: Entry) => Promise<T>,
  ): Promise<T | undefined> => {
    const entry = take(journal, among, kind, random);
    if (!entry) return undefined;
    const result = await work(entry);
    entry.busy = entry.may.length > 1;
    return result;
  };

  const running = [
    ...Array.from({ length: options.clients }, (_, index) => client(index < caldavClients ? 'caldav' : 'feed')),
    ...Array.from({ length: options.readers }, reader),
    ...stores.flatMap((store) => {
      const { booked } = store;
      if (!booked) return [];
      return Array.from({ length: bookers }, () => book(store, booked, { asker, random, isOn, create }));
    }),
    ...stores
      .filter(({ answers }) => answers)
      .flatMap((store) => {
        const writeText = (lead: ChaosLead, text: string) => write(store, lead, journal, random, isOn, text);
        return Array.from({ length: talkers }, (_, first) => talk(store, first, { random, isOn, write: writeText }));
      }),
  ];
  return {
    async stop() {
      on = false;
      await Promise.all([...running, ...cancelling]);
    },
  };
}

const readable: readonly Kind[] = ['appointment', 'lead', 'message', 'followup'];
const lists = ['/appointments?limit=20', '/leads?limit=20', '/followups/scheduled?limit=20', '/store', '/sellers'];

const change = (asker: Asker, entry: Entry, random: Random) =>
  asker.change(
    entry,
    random.next() < 0.6 ? { title: `${entry.body.title} ${random.below(1_000_000)}` } : { status: 'cancelled' },
  );

/** A customer writes. The provider posts the webhook until the answer is 200, and sometimes once more. */
async function write(
  store: ChaosStore,
  lead: ChaosLead,
  journal: Journal,
  random: Random,
  isOn: () => boolean,
  said?: string,
): Promise<boolean> {
  const id = newWamid();
  const text = said ?? `chaos ${store.id} ${id}`;
  const { server, number, post } = store.phone;
  const message = { from: lead.phone, text, id };
  const written: Written = { storeId: store.id, leadId: lead.id, id, text, firstAt: Date.now(), posts: 0 };
  journal.written.push(written);
  await server.customerWrites(message);
  const payload = inboundPayload(number, [message]);
  const times = random.next() < 0.3 ? 2 : 1;
  for (let taken = 0; taken < times && isOn(); ) {
    written.posts += 1;
    journal.counts.requests += 1;
    const status = await post(payload);
    if (status === 200) {
      written.acknowledgedAt ??= Date.now();
      journal.counts.acknowledged += 1;
      taken += 1;
    } else {
      journal.counts.unknown += 1;
      journal.failed?.push(`a webhook of WhatsApp answered ${status}`);
      await pause(300);
    }
  }
  return written.acknowledgedAt !== undefined;
}

/** Marks as in use and returns a recent acknowledged entry of these stores. Its content is known, and no client uses it. */
function take(
  journal: Journal,
  among: readonly ChaosStore[],
  kind: Kind | undefined,
  random: Random,
): Entry | undefined {
  for (let tries = 0; tries < 20; tries += 1) {
    const { length } = journal.entries;
    const entry = journal.entries[length - 1 - random.below(Math.min(length, recent))];
    if (!entry || entry.busy || entry.acknowledged === undefined) continue;
    if (!among.some(({ id }) => id === entry.storeId)) continue;
    if (kind !== undefined && entry.kind !== kind) continue;
    if (entry.kind === 'appointment' && entry.may[0]?.status !== 'scheduled') continue;
    entry.busy = true;
    return entry;
  }
  return undefined;
}

/** After the faults, repeats every request that has no answer and whose client has not given up. Each must succeed. */
export async function askForTheRest(options: Pick<LoadOptions, 'baseUrls' | 'stores' | 'journal'>): Promise<void> {
  const { journal } = options;
  const asker = createAsker(options);
  for (const entry of journal.entries) {
    if (entry.abandoned || Date.now() > (entry.askUntil ?? Number.POSITIVE_INFINITY)) continue;
    // A booking of a taken place is refused, and so answered.
    const isOpen = () => entry.acknowledged === undefined && !entry.abandoned;
    for (let tries = 0; isOpen() && tries < 5; tries += 1) await asker.create(entry);
    if (isOpen()) {
      journal.unexpected.push(`POST ${entry.path} with key ${entry.key} has no answer, even after the faults`);
    }
  }
}
