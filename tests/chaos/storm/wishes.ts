import { randomUUID } from 'node:crypto';
import type { Random } from '@mostrador/testing/random';
import { type ChaosStore, type Entry, newEntry } from './journal.ts';
import { requestTimeoutMs } from './platform.ts';
import { newPhone } from './stores.ts';

// The requests of clients. Every text has its store's id, so that a leak into another store's answer shows. It also has
// a unique mark, by which the judge finds its row and the provider's log entry.

const dayMs = 86_400_000;
const unlessSaidMs = 20_000;

/** A lead that the store can write to. */
const leadOf = ({ leads, changing }: ChaosStore, random: Random): string => random.pick([...leads, ...changing]).id;

export function wishAppointment(store: ChaosStore, random: Random): Entry {
  const key = randomUUID();
  const mark = `chaos ${store.id} ${key}`;
  const leadId = random.next() < 0.5 ? leadOf(store, random) : null;
  const body = {
    title: `Corte ${key}`,
    scheduled_at: new Date(Date.now() + (1 + random.below(60)) * dayMs).toISOString(),
    duration_minutes: 15 + random.below(90),
    notes: mark,
    lead_id: leadId,
  };
  const may = [{ title: body.title, status: 'scheduled' }];
  return newEntry({ kind: 'appointment', storeId: store.id, key, path: '/appointments', body, mark, leadId, may });
}

export type Slot = { readonly start: number; readonly minutes: number };

/** One of the few times that bookings want, so that most are taken soon. */
export const slotOf = (random: Random): Slot => ({
  start: (Math.floor(Date.now() / dayMs) + 2 + random.below(3)) * dayMs + random.below(8) * 1_800_000,
  minutes: random.pick([30, 60, 90]),
});

/** An appointment that takes a place of the store, or that of its seller. */
export function wishBooking(store: ChaosStore, sellerId: string, random: Random, slot: Slot, holdId?: string): Entry {
  const key = randomUUID();
  const mark = `booking ${store.id} ${key}`;
  const leadId = random.next() < 0.5 ? leadOf(store, random) : null;
  const body = {
    title: `Corte ${key}`,
    scheduled_at: new Date(slot.start).toISOString(),
    duration_minutes: slot.minutes,
    notes: mark,
    lead_id: leadId,
    ...(holdId !== undefined ? { hold_id: holdId } : random.next() < 0.3 && { seller_id: sellerId }),
  };
  const may = [{ title: body.title }];
  return newEntry({ kind: 'booking', storeId: store.id, key, path: '/appointments', body, mark, leadId, may });
}

export function wishLead(store: ChaosStore): Entry {
  const [key, mark] = [randomUUID(), newPhone()];
  const body = { name: `Ana ${store.id}`, customer_phone: mark };
  const may = [{ name: body.name, status: 'pending' }];
  return newEntry({ kind: 'lead', storeId: store.id, key, path: '/leads', body, mark, leadId: null, may });
}

export const wishMessage = (store: ChaosStore, random: Random): Entry => wishMessageTo(store, leadOf(store, random));

export function wishMessageTo(store: ChaosStore, leadId: string): Entry {
  const key = randomUUID();
  const mark = `chaos ${store.id} ${key}`;
  const path = `/leads/${leadId}/messages`;
  return newEntry({ kind: 'message', storeId: store.id, key, path, body: { message: mark }, mark, leadId, may: [{}] });
}

/** A follow-up that is due at once, soon, or after the run. One that is due soon is invalid after its due time. */
export function wishFollowup(store: ChaosStore, random: Random, soonMs = unlessSaidMs): Entry {
  const key = randomUUID();
  const mark = `chaos ${store.id} ${key}`;
  const leadId = leadOf(store, random);
  const dueInMs = random.pick([0, 0, 0, soonMs, soonMs, soonMs, 30 * dayMs]);
  const body = {
    lead_id: leadId,
    message: mark,
    cancel_on_reply: random.next() < 0.3,
    ...(dueInMs === 0 ? { delay_minutes: 0 } : { due_at: new Date(Date.now() + dueInMs).toISOString() }),
  };
  const path = '/followups/scheduled';
  const entry = newEntry({ kind: 'followup', storeId: store.id, key, path, body, mark, leadId, may: [{}] });
  return dueInMs === soonMs ? { ...entry, askUntil: Date.now() + soonMs - requestTimeoutMs - 1_000 } : entry;
}
