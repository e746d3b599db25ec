import { Failure, isSignedOut } from '../api/failure.ts';
import { dataOf, type Message, type MessageTemplate, platform } from '../api/platform.ts';
import { queries, sessionQuery } from '../api/queries.ts';
import { isLate, keep, late, readKept } from './kept.ts';
import type { Outgoing } from './outgoing.ts';
import type { OwnStorage } from './own-storage.ts';

type Box = { items: readonly Outgoing[]; sends: boolean; again?: () => void };

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Without an answer, or with one of these, the message may have been sent: it is tried again with the same key. */
const mayHaveBeenSent = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.status === 0 ||
    error.status >= 500 ||
    error.status === 408 ||
    error.status === 429 ||
    error.code === 'idempotency_in_progress');

/**
 * Sends messages one after the other for each lead, and each until there is an answer. What is not sent is kept in the
 * browser's storage, so a reload loses nothing. Nothing is sent while the person is not signed in.
 */
export function createOutbox(storage: OwnStorage, isSignedIn: () => boolean) {
  const boxes = new Map<string, Box>();
  const listeners = new Set<() => void>();

  const boxOf = (leadId: string): Box => {
    const known = boxes.get(leadId);
    if (known) return known;
    const box: Box = { items: readKept(storage, leadId, Date.now()), sends: false };
    boxes.set(leadId, box);
    return box;
  };
  const set = (leadId: string, items: readonly Outgoing[]) => {
    const box = boxOf(leadId);
    keep(storage, leadId, { items, had: box.items });
    box.items = items;
    for (const listener of listeners) listener();
  };
  const change = (leadId: string, key: string, to: Partial<Outgoing>) =>
    set(
      leadId,
      boxOf(leadId).items.map((item) => (item.key === key ? { ...item, ...to } : item)),
    );
  const remove = (leadId: string, key: string) =>
    set(
      leadId,
      boxOf(leadId).items.filter((item) => item.key !== key),
    );

  async function work(leadId: string): Promise<void> {
    const box = boxOf(leadId);
    if (box.sends) return;
    box.sends = true;
    for (;;) {
      const item = box.items.find(({ state, id }) => state !== 'refused' && id === undefined);
      if (!item || !(await deliver(leadId, item, box))) break;
    }
    box.sends = false;
  }

  /** Returns false when the person is not signed in: then a later visit sends the message. */
  async function deliver(leadId: string, { key, text, template }: Outgoing, box: Box): Promise<boolean> {
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      if (!isSignedIn()) return false;
      const item = box.items.find((one) => one.key === key);
      if (!item) return true;
      // The page may have slept since the first attempt.
      if (isLate(item, Date.now())) {
        change(leadId, key, late);
        return true;
      }
      change(leadId, key, { state: 'sending' });
      try {
        const { id } = await dataOf(
          platform.POST('/leads/{leadId}/messages', {
            params: { path: { leadId } },
            body: template ? { template } : { message: text },
            headers: { 'idempotency-key': key },
          }),
        );
        change(leadId, key, { id });
        await queries.invalidateQueries({ queryKey: ['messages', leadId] });
        // What the list shows now. A list that is not on the screen shows it when it is.
        remove(leadId, key);
        return true;
      } catch (error) {
        if (isSignedOut(error)) {
          change(leadId, key, { state: 'lost' });
          // Its answer leads to the login.
          void queries.invalidateQueries(sessionQuery);
          return false;
        }
        if (!mayHaveBeenSent(error)) {
          const { code, message: reason } = error as Failure;
          void queries.invalidateQueries({ queryKey: ['conversation', leadId] });
          change(leadId, key, { state: 'refused', refusal: { code, reason } });
          return true;
        }
        change(leadId, key, { state: 'lost' });
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          box.again = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
  }

  const tryAgain = () => {
    for (const { again } of boxes.values()) again?.();
  };
  addEventListener('online', tryAgain);

  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    itemsOf: (leadId: string): readonly Outgoing[] => boxOf(leadId).items,
    send(leadId: string, text: string, known: readonly Pick<Message, 'id' | 'body'>[], template?: MessageTemplate) {
      const before = known.filter(({ body }) => body === text).map(({ id }) => id);
      const item: Outgoing = {
        key: crypto.randomUUID(),
        text,
        ...(template && { template }),
        createdAt: new Date().toISOString(),
        state: 'waiting',
        before,
      };
      set(leadId, [...boxOf(leadId).items, item]);
      void work(leadId);
    },
    /** Tries a message at once that waits for its next attempt, or that was refused. */
    retry(leadId: string, key: string) {
      const box = boxOf(leadId);
      if (box.items.find((item) => item.key === key)?.state === 'refused') {
        change(leadId, key, { state: 'waiting', createdAt: new Date().toISOString() });
      }
      box.again?.();
      void work(leadId);
    },
    remove,
    /** Goes on with what was not sent on an earlier visit, or in a tab that may be closed. */
    resume(leadId: string) {
      const { items } = boxOf(leadId);
      const kept = readKept(storage, leadId, Date.now());
      const others = kept.filter(({ key }) => !items.some((item) => item.key === key));
      if (others.length > 0) set(leadId, [...items, ...others]);
      void work(leadId);
    },
  };
}
export type Outbox = ReturnType<typeof createOutbox>;
