import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@mostrador/testing/random';
import type { Asker } from './ask.ts';
import type { ChaosStore, Entry } from './journal.ts';
import { slotOf, wishBooking } from './wishes.ts';

type Booker = {
  readonly asker: Asker;
  readonly random: Random;
  readonly isOn: () => boolean;
  /** Sends a creation until it is answered, or gives up. Resolves with true when it is acknowledged. */
  readonly create: (entry: Entry) => Promise<boolean>;
};

const restMs = 300;
/** It changes only its latest bookings, this many. */
const recent = 60;

/** A client that books, holds, moves and cancels, until the load ends. Few times are free, so many requests are refused. */
export async function book(
  store: ChaosStore,
  booked: NonNullable<ChaosStore['booked']>,
  booker: Booker,
): Promise<void> {
  const { asker, random, isOn, create } = booker;
  const made: Entry[] = [];
  const make = async (holdId?: string, slot = slotOf(random)) => {
    const entry = wishBooking(store, booked.sellerId, random, slot, holdId);
    if (await create(entry)) made.push(entry);
  };
  while (isOn()) {
    await pause(restMs * (0.5 + random.next()));
    const roll = random.next();
    const entry = made[made.length - 1 - random.below(Math.min(made.length, recent))];
    if (roll < 0.4 || !entry) await make();
    else if (roll < 0.6) {
      const slot = slotOf(random);
      const holdId = await asker.hold(store.id, slot);
      if (holdId && random.next() < 0.7) await make(holdId, slot);
    } else if (roll < 0.8) await asker.move(entry, slotOf(random));
    else if (roll < 0.9) await asker.cancelBooking(entry);
    else await asker.create(entry);
  }
}
