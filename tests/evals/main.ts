import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mapEach } from '@mostrador/kit/process/each-of';
import { localDirectory } from '@mostrador/local-platform/paths';
import { readConversations, readSimulations, readStores, type Scene } from './conversation.ts';
import { startObeyingModel } from './obeying-model.ts';
import { withPlatform } from './platform.ts';
import { type Part, play, scripted } from './play.ts';
import { playAttacks } from './play-attacks.ts';
import { comparisonOf, failuresOf, type Results, regressionsOf, tableOf } from './results.ts';
import { type Comparison, help, type Settings, settingsOf, WrongUsage } from './settings.ts';
import { simulated } from './simulated-customer.ts';
import type { Answering, Platform } from './store.ts';

const folder = join(localDirectory(process.env), 'evals');
const fileOf = (name: string): string => (existsSync(name) ? name : join(folder, `${name}.json`));

function readResults(name: string): Results {
  const file = fileOf(name);
  if (!existsSync(file)) throw new WrongUsage(`There are no results ${name}: run the evals with --name ${name} first.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A conversation, and who the customer is in a trial of it. */
type Wanted = { readonly scene: Scene; readonly partOf: (trial: number) => Part };

/** All conversations of a run: those with scripts, or those whose customers a model plays. */
const conversationsOf = ({ simulatedBy }: Settings): Wanted[] =>
  simulatedBy
    ? readSimulations().map((scene) => ({ scene, partOf: (trial) => simulated(scene, simulatedBy, trial) }))
    : readConversations().map((scene) => ({ scene, partOf: () => scripted(scene.customer) }));

const isWanted = ({ id, kind, language }: Scene, only: string | undefined): boolean =>
  only === undefined || kind === only || language === only || id.startsWith(only);

async function run(settings: Settings): Promise<number> {
  const { only, baseline } = settings;
  const before = baseline === undefined ? undefined : readResults(baseline);
  const wanted = conversationsOf(settings).filter(({ scene }) => isWanted(scene, only));
  const attacks = !settings.simulatedBy && (only === undefined || only === 'attacks');
  if (wanted.length === 0 && !attacks) {
    throw new WrongUsage(`--only ${only} is no id, kind or language of a conversation, and not attacks.`);
  }
  const begunAt = performance.now();
  const faults = await withPlatform(async (platform) => {
    const regressions = wanted.length > 0 ? await playConversations(platform, wanted, settings, before) : 0;
    return regressions + (attacks ? await attack(platform, settings) : 0);
  });
  console.log(`${((performance.now() - begunAt) / 1000).toFixed(0)} s`);
  return faults === 0 ? 0 : 1;
}

/** Returns the number of regressions. */
async function playConversations(
  platform: Platform,
  wanted: readonly Wanted[],
  { answering, simulatedBy, trials, mostAtOnce, name, prices }: Settings,
  baseline: Results | undefined,
): Promise<number> {
  const stores = readStores();
  // A real model has 30 seconds for a call, and a turn has up to 6.
  const limits = { answerWithinMs: answering.provider === 'demo' ? 60_000 : 240_000 };
  const plays = wanted.flatMap(({ scene, partOf }) =>
    Array.from({ length: trials }, (_, trial) => ({ scene, part: partOf(trial) })),
  );
  const played = await mapEach(plays, mostAtOnce, async ({ scene, part }) => ({
    scene,
    trial: await play(platform, scene, stores[scene.language], answering, { ...limits, part }),
  }));
  const results: Results = {
    ...{ name, model: [answering.provider, answering.model].filter(Boolean).join('/'), at: new Date().toISOString() },
    ...{ trials, ...(prices && { prices }), ...(simulatedBy && { customer: simulatedBy.connection.model }) },
    conversations: wanted.map(({ scene: { id, kind, language } }) => ({
      ...{ id, kind, language },
      trials: played.filter(({ scene }) => scene.id === id).map(({ trial }) => trial),
    })),
  };
  const file = join(folder, `${name}.json`);
  write(file, `${JSON.stringify(results, null, 2)}\n`);
  for (const failure of failuresOf(results)) console.log(`${failure}\n`);
  console.log(tableOf(results));
  const regressions = regressionsOf(results, baseline);
  console.log(`\n${regressions.length} regressions. The results are in ${file}.`);
  return regressions.length;
}

/** Plays the attacks against the model, and against one that obeys every text. Returns the number of effects. */
async function attack(platform: Platform, { answering, mostAtOnce }: Settings): Promise<number> {
  const obeying = await startObeyingModel();
  try {
    const { pt } = readStores();
    const obeys: Answering = { provider: 'openai_compatible', url: obeying.url, model: 'obeys' };
    const runs = [
      { who: 'a model that obeys', answering: obeys, prompts: obeying.prompts },
      { who: answering.provider, answering, prompts: [] },
    ];
    let effects = 0;
    for (const { who, ...attacked } of runs) {
      const found = await playAttacks(platform, pt, { ...attacked, mostAtOnce });
      for (const effect of found.effects) console.log(`${effect}\n`);
      console.log(`${found.played} attacks on ${who}: ${found.effects.length} effects`);
      effects += found.effects.length;
    }
    return effects;
  } finally {
    obeying.stop();
  }
}

function compare({ compare: [one, other], output }: Comparison): number {
  const [first, second] = [readResults(one), readResults(other)];
  const file = output ?? join(folder, `${first.name}-${second.name}.md`);
  write(file, comparisonOf(first, second));
  console.log(`The page is ${file}.`);
  return 0;
}

try {
  const settings = settingsOf(process.argv.slice(2), process.env);
  if (!settings) console.log(help);
  else process.exitCode = 'compare' in settings ? compare(settings) : await run(settings);
} catch (error) {
  if (!(error instanceof WrongUsage)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
