import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@mostrador/testing/random';
import { markOf, newestIn } from '../exact/answers.ts';
import { startModel } from '../exact/model.ts';
import type { ChaosLead, ChaosStore } from './journal.ts';

/** The customers of the store whose AI answers who write at the same time. */
export const talkers = 3;
const restMs = 4_000;
/** Between two messages of a burst. The AI answers after a second of quiet, so some come while it answers. */
const withinBurstMs = 2_500;
/** A model thinks for so long at most. */
const thinkingMs = 1_200;
/** After 20 answers within an hour the AI hands a lead over. */
const mostBursts = 15;
const hourMs = 3_600_000;

/**
 * The model of that store: it answers with the last mark that it was shown, in a text that no other answer has. `chaos`:
 * the storm reads the messages that begin so.
 */
export function startAnsweringModel(random: Random) {
  let asked = 0;
  return startModel(async (prompt) => {
    asked += 1;
    const says = `chaos answer ${asked} ${markOf(Number(/\bl(\d+)k\d+\b/.exec(prompt)?.[1]), newestIn(prompt))}`;
    await pause(random.below(thinkingMs));
    return { says };
  });
}

type Talker = {
  readonly random: Random;
  readonly isOn: () => boolean;
  /** Resolves when the platform has the message, or the load ends. */
  readonly write: (lead: ChaosLead, text: string) => Promise<unknown>;
};

/** Customers who write to the AI in bursts, one after the other, until the load ends. `first`: which customers they are. */
export async function talk({ id, leads }: ChaosStore, first: number, { random, isOn, write }: Talker): Promise<void> {
  const own = leads
    .map((lead, number) => ({ lead, number, written: 0, bursts: [] as number[] }))
    .filter(({ number }) => number % talkers === first);
  while (isOn()) {
    await pause(restMs * (0.5 + random.next()));
    const one = random.pick(own);
    one.bursts = one.bursts.filter((at) => at > Date.now() - hourMs);
    if (one.bursts.length >= mostBursts) continue;
    one.bursts.push(Date.now());
    for (let left = 1 + random.below(3); left > 0 && isOn(); left -= 1) {
      one.written += 1;
      await write(one.lead, `chaos ${id} ${markOf(one.number, one.written)}`);
      await pause(random.below(withinBurstMs));
    }
  }
}
