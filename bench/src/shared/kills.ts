import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '@mostrador/testing/random';
import type { Platform } from './platform.ts';

/** How often each process and server is killed. */
const times = 2;

/**
 * Kills every process and server of the platform twice with SIGKILL, in random order and at random times, over about
 * `withinMs`. The supervisor restarts them. Returns the names in the order of the kills.
 */
export async function killEach(platform: Platform, withinMs: number, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const names = Object.keys(platform.processes);
  const victims = random.shuffled(Array.from({ length: times }, () => names).flat());
  const killed: string[] = [];
  for (const name of victims) {
    await pause(random.below((2 * withinMs) / victims.length));
    const pid = platform.running()[name];
    if (pid === undefined) continue; // The supervisor is about to restart it.
    try {
      process.kill(pid, 'SIGKILL');
      killed.push(name);
    } catch {
      // The process ended in between.
    }
  }
  return killed;
}
