import { join } from 'node:path';
import { createChildren } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import { createRandom } from '@mostrador/testing/random';
import postgres from 'postgres';
import { onPlatform } from '../storm/on-platform.ts';
import type { Platform } from '../storm/platform.ts';
import { allProcesses } from '../storm/processes.ts';
import type { AlertLike, Cause } from './alerts/cause.ts';
import { onlyTested, rounds } from './alerts/causes.ts';
import { mostConnections } from './alerts/causes-of-work.ts';
import { startPrometheus } from './alerts/prometheus.ts';
import { quicker } from './alerts/quicker.ts';
import { type Scene, setScene } from './alerts/scene.ts';
import { isLike, likeOf, nameOf, textFaults, type Watch, watchAlerts } from './alerts/watch.ts';

type Settings = { readonly seed: number };
type Say = (text: string) => void;
type Begun = { readonly cause: Cause; readonly atMs: number; readonly end: () => Promise<unknown> };

const quietWithinMs = 120_000;
const firesWithinMs = 240_000;
const resolvesWithinMs = 300_000;

/**
 * Causes each alert for real, on a platform with a Prometheus of its own. Exactly the expected alerts must fire, and they
 * must end when their cause ends. Returns what did not hold.
 */
export async function alertsDrill({ seed }: Settings, say: Say): Promise<string[]> {
  const options = {
    random: createRandom(seed),
    phones: 3,
    diskMegabytes: 384,
    environment: {
      REQUEST_TIMEOUT_MS: '10000',
      MAX_CONNECTIONS: String(mostConnections),
      WHATSAPP_RATES_FILE: join(root, 'docs/operations/whatsapp-rates.example.json'),
    },
  };
  const holds = (faults: readonly string[]) => faults.length === 0;
  return await onPlatform(options, (platform) => onScene(platform, say), holds);
}

async function onScene(platform: Platform, say: Say): Promise<string[]> {
  const children = createChildren(join(platform.folder, 'prometheus.json'));
  const prometheus = await startPrometheus(children, join(platform.folder, 'prometheus'));
  const sql = postgres(platform.servers.databaseUrl, { max: 4, onnotice: () => {} });
  try {
    return await platform.inside(async (call) => {
      const scene = await setScene({ platform, call, prometheus, sql });
      const watch = watchAlerts(prometheus);
      try {
        return await play(scene, watch, say);
      } finally {
        await watch.stop();
        await scene.end();
      }
    });
  } finally {
    await sql.end({ timeout: 2 });
    await prometheus.stop();
  }
}

async function play(scene: Scene, watch: Watch, say: Say): Promise<string[]> {
  const isReady = async () =>
    watch.now().length === 0 && (await scene.prometheus.ask('count(up == 1)'))[0] === allProcesses.length;
  if (!(await watch.until(isReady, quietWithinMs))) return [`before any cause there is: ${textOf(firingOf(watch))}`];
  say(`Prometheus scrapes all processes, and no alert fires. Its rules are ${quicker} times as quick.`);
  const faults: string[] = [];
  const lasting: Begun[] = [];
  for (const { causes, lasting: more = [] } of rounds) {
    for (const cause of more) lasting.push(await begin(scene, cause));
    const begun: Begun[] = [];
    for (const cause of causes) begun.push(await begin(scene, cause));
    faults.push(...(await untilFired(scene, watch, begun, [...begun, ...lasting])));
    faults.push(...(await untilQuiet(scene, watch, begun, lasting)));
    for (const each of begun) report(scene, watch, each, say);
  }
  faults.push(...(await untilFired(scene, watch, lasting, lasting)));
  faults.push(...(await untilQuiet(scene, watch, lasting, [])));
  for (const each of lasting) report(scene, watch, each, say);
  faults.push(...new Set(watch.seen().flatMap(({ firing }) => textFaults(firing))));
  for (const [name, why] of Object.entries(onlyTested)) say(`${name} is not caused here. ${why}`);
  return faults;
}

async function begin(scene: Scene, cause: Cause): Promise<Begun> {
  const atMs = performance.now();
  return { cause, atMs, end: await cause.begin(scene) };
}

const expectedOf = (scene: Scene, begun: readonly Begun[]): AlertLike[] =>
  begun.flatMap(({ cause }) => [...cause.alerts(scene)]);
const possibleOf = (scene: Scene, begun: readonly Begun[]): AlertLike[] => [
  ...expectedOf(scene, begun),
  ...begun.flatMap(({ cause }) => [...(cause.mayFire?.(scene) ?? [])]),
];
const firingOf = (watch: Watch): AlertLike[] => watch.now().map(likeOf);
const textOf = (alerts: readonly AlertLike[]): string => alerts.map(nameOf).join(', ') || 'nothing';

/** Waits until what these must fire has fired. Nothing else may, apart from what belongs to the others that go on. */
async function untilFired(
  scene: Scene,
  watch: Watch,
  begun: readonly Begun[],
  all: readonly Begun[],
): Promise<string[]> {
  const possible = possibleOf(scene, all);
  const odd = new Set<string>();
  const missing = () => {
    for (const firing of watch.now()) {
      if (!possible.some((alert) => isLike(firing, alert))) odd.add(nameOf(likeOf(firing)));
    }
    const sinceMs = Math.min(...begun.map(({ atMs }) => atMs));
    const fired = watch.seen().filter(({ firstMs }) => firstMs > sinceMs);
    return expectedOf(scene, begun).filter((alert) => !fired.some(({ firing }) => isLike(firing, alert)));
  };
  await watch.until(() => missing().length === 0, firesWithinMs);
  const what = begun.map(({ cause }) => cause.what).join('; ');
  return [
    ...missing().map((alert) => `${nameOf(alert)} did not fire: ${what}`),
    ...[...odd].map((name) => `${name} fired, and is not expected: ${what}`),
  ];
}

/** Ends these. Then nothing may fire, apart from what belongs to those that go on. */
async function untilQuiet(
  scene: Scene,
  watch: Watch,
  begun: readonly Begun[],
  others: readonly Begun[],
): Promise<string[]> {
  for (const { end } of begun) await end();
  const possible = possibleOf(scene, others);
  const left = () => watch.now().filter((firing) => !possible.some((alert) => isLike(firing, alert)));
  await watch.until(() => left().length === 0, resolvesWithinMs);
  return left().map((firing) => `${nameOf(likeOf(firing))} still fires after the cause ended`);
}

/** One line for each alert of the cause: how long after the cause it fired, and for how long. */
function report(scene: Scene, watch: Watch, { cause, atMs }: Begun, say: Say): void {
  say(`${cause.what}:`);
  for (const alert of expectedOf(scene, [{ cause, atMs, end: async () => {} }])) {
    const fired = watch.seen().find(({ firing, firstMs }) => firstMs > atMs && isLike(firing, alert));
    if (!fired) continue;
    const [after, during] = [fired.firstMs - atMs, fired.lastMs - fired.firstMs].map((ms) => Math.round(ms / 1_000));
    say(`  ${nameOf(alert).padEnd(76)} after ${String(after).padStart(3)} s, for ${String(during).padStart(3)} s`);
  }
}
