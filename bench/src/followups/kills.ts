import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '@mostrador/testing/random';
import type { Platform } from '../shared/platform.ts';

/** Times that each process and each server is killed. */
const times = 2;

/**
 * Kills every process and every server of the platform twice with SIGKILL, in an order and at moments by chance, within
 * this time; what supervises them starts them again. Returns what it killed, in order.
 */
export async function killEach(platform: Platform, withinMs: number, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const names = Object.keys(platform.processes);
  const victims = random.shuffled(Array.from({ length: times }, () => names).flat());
  const killed: string[] = [];
  for (const name of victims) {
    await pause(random.below((2 * withinMs) / victims.length));
    const pid = platform.running()[name];
    if (pid === undefined) continue; // It is about to be started again.
    try {
      process.kill(pid, 'SIGKILL');
      killed.push(name);
    } catch {
      // It ended in between.
    }
  }
  return killed;
}
