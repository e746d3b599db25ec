import { setTimeout as pause } from 'node:timers/promises';
import { createChildren } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import { checkOut, lastRelease } from '@mostrador/testing/platform/check-out';
import { createRandom } from '@mostrador/testing/random';
import { drain } from '../storm/drain.ts';
import { createJournal, judgedOf } from '../storm/journal.ts';
import { judge } from '../storm/judge.ts';
import { startLoad } from '../storm/load.ts';
import { look, withServers } from '../storm/look.ts';
import { onPlatform } from '../storm/on-platform.ts';
import type { Platform } from '../storm/platform.ts';
import type { ProcessName } from '../storm/processes.ts';
import { createStores } from '../storm/stores.ts';
import { noticeMs, startHaProxy } from './haproxy.ts';

type Settings = {
  readonly seconds: number;
  readonly seed: number;
  readonly release?: string | undefined;
  readonly same: boolean;
};
type Say = (text: string) => void;

/** As docs/operations/rollout.md and the changelog say: events first, the gateway last, and the opposite order back. */
const forward: readonly ProcessName[] = [
  ...(['events', 'accounts', 'crm', 'scheduling', 'messaging', 'assistant', 'workflows', 'gateway'] as const),
];
/** As in production. With the shorter one of the chaos runs, a busy machine fails requests, too. */
const requestTimeoutMs = 10_000;

/**
 * Replaces every process by the other version, one after the other, and back, under load. Begins with this version,
 * because its migrations lead. Returns what did not hold.
 */
export async function rollingDrill(settings: Settings, say: Say): Promise<string[]> {
  const other = settings.same ? undefined : (settings.release ?? lastRelease());
  const beside = other === undefined ? root : checkOut(other);
  const options = {
    random: createRandom(settings.seed + 2),
    phones: 3,
    diskMegabytes: 384,
    beside,
    environment: { DRAIN_DELAY_MS: String(noticeMs), REQUEST_TIMEOUT_MS: String(requestTimeoutMs) },
  };
  say(`The versions: this one, and ${other ?? 'the same again'}.`);
  return await onPlatform(options, (platform) => roll(platform, settings, say), holds);
}

const holds = (faults: readonly string[]): boolean => faults.length === 0;

async function roll(platform: Platform, { seconds, seed }: Settings, say: Say): Promise<string[]> {
  const children = createChildren(`${platform.folder}/balancer.json`);
  const [gateway, twin] = [platform.ports.gateway, await platform.portOfTwin('gateway')];
  const balancer = await startHaProxy({ children, folder: platform.folder, gateways: [gateway, twin] });
  try {
    const stores = await createStores(platform, { booking: false });
    for (const { phone } of stores) {
      phone.webhookUrl = `${balancer.origin}${new URL(phone.webhookUrl as string).pathname}`;
    }
    const failures: string[] = [];
    const journal = { ...createJournal(), failed: failures };
    const baseUrls = () => [`${balancer.origin}/integrations/v1`];
    const random = createRandom(seed + 1);
    const load = startLoad({ baseUrls, stores, journal, random, clients: 8, readers: 4, requestTimeoutMs });
    const faults: string[] = [];
    const during = async (what: string, step: () => Promise<unknown>) => {
      const [before, failedBefore] = [journal.counts.requests, failures.length];
      await step();
      const [requests, failed] = [journal.counts.requests - before, failures.length - failedBefore];
      say(`${what.padEnd(24)} ${String(requests).padStart(6)} requests, ${failed} failed`);
      for (const failure of failures.slice(failedBefore)) faults.push(`${what}: ${failure}`);
    };
    const hold = () => pause(seconds * 1_000);
    await during('this version', hold);
    for (const name of forward.toReversed()) {
      await during(`back: ${name}`, async () => {
        await platform.startTwin(name);
        if (name === 'gateway') await balancer.untilUp(twin);
        await platform.processes.stop(name);
      });
    }
    await during('the other version', hold);
    for (const name of forward) {
      await during(`forward: ${name}`, async () => {
        await platform.processes.start(name);
        if (name === 'gateway') await balancer.untilUp(gateway);
        await platform.stopTwin(name);
      });
    }
    await during('this version again', hold);
    await load.stop();
    say('The load is over. Waiting until all work is done.');
    const seen = await withServers(platform, async (open) => {
      await drain(platform, stores, open, { say });
      return await look(platform, stores, open);
    });
    const findings = judge({ journal: judgedOf(journal), seen });
    return [...faults, ...journal.unexpected, ...findings.flatMap((finding) => finding.faults)];
  } finally {
    await balancer.stop();
  }
}
