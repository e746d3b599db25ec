import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { contents, entriesPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { newWamid } from '@mostrador/testing/providers/whatsapp/webhooks';
import type { Random } from '@mostrador/testing/random';
import { createAsker } from './ask.ts';
import type { Changing, ChaosStore, Entry, Journal, Written } from './journal.ts';
import { newPhone } from './stores.ts';
import { wishMessageTo } from './wishes.ts';

type Options = {
  readonly baseUrls: () => readonly string[];
  readonly stores: readonly ChaosStore[];
  readonly journal: Journal;
  readonly random: Random;
  /** The customers of each store. */
  readonly customers?: number;
  /** The average pause between two changes of one customer. */
  readonly restMs?: number;
};

/** The ids under which a customer writes. WhatsApp tells both of them, or one. */
type Ids = { readonly phone?: string; readonly userId?: string };

const lookEveryMs = 400;
/** A webhook whose answer is not 200 so long after the faults has none. */
const patienceMs = 30_000;
// WhatsApp tells whole seconds, and what a customer does in one second has no order. So each thing that a customer does is a
// second later than the one before. The first one lies this far in the past.
const startedAgoMs = 120_000;

/**
 * Starts customers without a number, who show it, who change it and whose user id changes, while messages to them are on
 * their way. `stop` ends after the last change of each.
 */
export function startChanging({ stores, journal, random, ...options }: Options): { stop(): Promise<void> } {
  const { customers = 1, restMs = 3_000 } = options;
  const asker = createAsker({ ...options, stores, journal });
  const state = { on: true, stoppedAt: Number.POSITIVE_INFINITY };
  const live = async (store: ChaosStore) => {
    while (state.on) {
      const customer = createCustomer({ store, asker, journal, random, state });
      await customer.arrive();
      for (let isLast = false; state.on && !isLast; ) {
        await pause(restMs * (0.5 + random.next()));
        isLast = await customer.change();
      }
    }
  };
  // To the store whose AI answers write only its own customers.
  const running = stores
    .filter(({ answers }) => !answers)
    .flatMap((store) => Array.from({ length: customers }, () => live(store)));
  return {
    async stop() {
      state.on = false;
      state.stoppedAt = performance.now();
      await Promise.all(running);
    },
  };
}

type Stage = Pick<Options, 'journal' | 'random'> & {
  readonly store: ChaosStore;
  readonly asker: ReturnType<typeof createAsker>;
  readonly state: { readonly on: boolean; readonly stoppedAt: number };
};

function createCustomer({ store, asker, journal, random, state }: Stage) {
  const { server, number, post } = store.phone;
  const first = newUserId();
  const customer: Changing = {
    ...{ storeId: store.id, ids: [first], left: [], leadId: null },
    now: { phone: null, userId: first },
  };
  let at = Date.now() - startedAgoMs;
  const nextAt = () => {
    at += 1_000;
    return new Date(at);
  };
  const sent: Promise<void>[] = [];

  /** Posts a webhook until the answer is 200, and sometimes once more. */
  const tell = async (payload: unknown, written?: Written) => {
    const times = random.next() < 0.3 ? 2 : 1;
    for (let taken = 0; taken < times; ) {
      if (written) written.posts += 1;
      journal.counts.requests += 1;
      const status = await post(payload);
      if (status === 200) {
        if (written) written.acknowledgedAt ??= Date.now();
        journal.counts.acknowledged += 1;
        taken += 1;
        continue;
      }
      journal.counts.unknown += 1;
      if (performance.now() - state.stoppedAt > patienceMs) {
        journal.unexpected.push(`a webhook of WhatsApp was answered with ${status} for ${patienceMs / 1000} s`);
        return;
      }
      await pause(lookEveryMs);
    }
  };
  /** The customer writes under these ids, of which WhatsApp lets the store write to the present ones. */
  const write = async ({ phone, userId }: Ids, by = customer) => {
    const id = newWamid();
    const text = `chaos ${store.id} ${id}`;
    const entry = { content: contents.text(text), id, at: nextAt() };
    const written: Written = {
      ...{ storeId: store.id, leadId: null, by, id, text, firstAt: Date.now(), posts: 0 },
    };
    journal.written.push(written);
    const ids = { ...(phone && { phone }), ...(userId && { userId }) };
    await server.customerDoes(ids, entry);
    await tell(entriesPayload(number, ids, [entry]), written);
  };
  /** The store writes to a lead. */
  const sendTo = (leadId: string, more: Pick<Entry, 'toMerged'> = {}) => {
    const entry: Entry = { ...wishMessageTo(store, leadId), ...more };
    journal.entries.push(entry);
    // A merged lead has no messages to read.
    const ask = async () => {
      await asker.create(entry);
      entry.busy = entry.toMerged ?? false;
    };
    sent.push(ask());
  };
  /** What `look` finds in the API, in time. */
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T | undefined> => {
    for (;;) {
      const found = await look();
      if (found !== undefined || !state.on) return found;
      await pause(lookEveryMs);
    }
  };
  const read = async (path: string) => {
    const { status, text } = await asker.list(store.id, path);
    return status === 200 ? JSON.parse(text) : undefined;
  };
  /** The lead that the filter finds, once its first message is processed. Only then can the store write to it. */
  const findLead = async (filter: string): Promise<string | undefined> => {
    const id: string | undefined = (await read(`/leads?${filter}`))?.data[0]?.id;
    return id !== undefined && (await read(`/leads/${id}/messages?limit=1`))?.total > 0 ? id : undefined;
  };
  /** Takes over who the customer is. What the customer has left counts as left when the API shows the rest. */
  const become = async (now: Changing['now'], left: readonly string[]) => {
    customer.now = now;
    const { leadId } = customer;
    if (leadId === null) return;
    sendTo(leadId);
    const shown = await until(async () => {
      const lead = await read(`/leads/${leadId}`);
      return lead?.customer_phone === now.phone && lead?.channel_user_id === now.userId ? true : undefined;
    });
    if (shown) customer.left.push(...left.map((id) => ({ id, since: Date.now() })));
    sendTo(leadId);
  };
  const newId = (id: string) => {
    customer.ids.push(id);
    return id;
  };
  /** A notice of WhatsApp, and a message under the new ids. Either may come first. */
  const move = async (from: Ids, to: Ids, content: Parameters<typeof entriesPayload>[2][number]['content']) => {
    const notice = entriesPayload(number, from, [{ content, id: newWamid(), at: nextAt() }]);
    const both = [() => tell(notice), () => write(to)];
    await Promise.all((random.next() < 0.5 ? both : both.toReversed()).map((each) => each()));
  };

  /** The customer has no number yet, and may be another lead by it. A message with both makes them one. */
  const showNumber = async () => {
    const { userId } = customer.now;
    const phone = newId(newPhone());
    if (random.next() < 0.7) {
      await write({ phone });
      const other = await until(() => findLead(`customer_phone=${phone}`));
      if (other !== undefined) sendTo(other, { toMerged: true });
    }
    await write({ phone, userId });
    await become({ phone, userId }, []);
  };
  const changeNumber = async (before: string) => {
    const { userId } = customer.now;
    const phone = newId(newPhone());
    const next = random.next() < 0.7 ? newId(newUserId()) : userId;
    const told = next === userId ? {} : { userId: next, previousUserId: userId };
    const to = { phone, userId: next };
    await move({ phone: before, userId }, to, contents.changedNumber(phone, told));
    await become(to, next === userId ? [before] : [before, userId]);
  };
  const changeUserId = async () => {
    const { phone, userId } = customer.now;
    const next = newId(newUserId());
    const idsWith = (id: string) => ({ ...(phone && { phone }), userId: id });
    await move(idsWith(userId), idsWith(next), contents.changedUserId(userId, next));
    await become({ phone, userId: next }, [userId]);
  };
  /** Another person gets the number and writes, of which WhatsApp tells nothing. The customer changes no more. */
  const loseNumber = async (phone: string) => {
    const { userId } = customer.now;
    const theirs = newUserId();
    const heir: Changing = {
      ...{ storeId: store.id, ids: [phone, theirs], left: [], leadId: null, before: customer },
      now: { phone, userId: theirs },
    };
    journal.changing.push(heir);
    customer.lost = phone;
    // Receipts of the store's messages to the number name the customer, and are of now.
    at = Date.now();
    await write({ phone, userId: theirs }, heir);
    await become({ phone: null, userId }, [phone]);
    const another = async () => {
      const found = await findLead(`customer_phone=${phone}`);
      return found === customer.leadId ? undefined : found;
    };
    heir.leadId = (await until(another)) ?? null;
    await write(random.pick([{ phone }, { userId: theirs }]), heir);
    await write({ userId });
    if (heir.leadId !== null) sendTo(heir.leadId);
  };

  return {
    async arrive() {
      journal.changing.push(customer);
      await write({ userId: first });
      const leadId = await until(() => findLead(`channel_user_id=${first}`));
      if (leadId === undefined) return;
      customer.leadId = leadId;
      store.changing.push({ id: leadId });
    },
    /** Returns whether it was the last change. */
    async change(): Promise<boolean> {
      const { phone, userId } = customer.now;
      const roll = random.next();
      const isLast = phone !== null && roll >= 0.75;
      if (phone === null) await (roll < 0.6 ? showNumber() : changeUserId());
      else if (isLast) await loseNumber(phone);
      else if (roll < 0.45) await changeNumber(phone);
      else if (roll < 0.6) await changeUserId();
      else await write(random.pick([{ phone }, { userId }, { phone, userId }]));
      await Promise.all(sent.splice(0));
      return isLast;
    },
  };
}

const newUserId = () => `BR.${randomUUID().replaceAll('-', '')}`;
