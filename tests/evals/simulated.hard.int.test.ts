import { expect, test } from 'vitest';
import { readSimulations, readStores } from './conversation.ts';
import { withPlatform } from './platform.ts';
import { play } from './play.ts';
import { type Results, tableOf } from './results.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';
import { simulated } from './simulated-customer.ts';

const end = { writes: '[END]' };
/** What the customer with such a goal writes. The second one who books wants another time than the goal says. */
const scripts: readonly (readonly [goal: RegExp, lines: (seed: number) => readonly string[]])[] = [
  [/amanhã às 13:00/, (seed) => ['Oi, quero marcar um horário amanhã', `pode ser às ${seed === 0 ? 13 : 15}`]],
  [/aceitam cheque/, () => ['<think>I ask.</think>Vocês aceitam cheque?']],
  [/con una persona, y/, () => ['Hola', 'Quiero hablar con una persona', 'never said']],
  [/has wifi/, () => ['Do you have any wifi?', 'never said']],
  [/Move the appointment/, () => []],
];
const script: Script = ({ instructions, lines, seed }) => {
  const [, linesOf] = scripts.find(([goal]) => goal.test(instructions)) ?? [];
  const line = linesOf?.(seed)[lines];
  return line === undefined ? end : { writes: line };
};

test('a customer whom a model plays is judged by the rows and the facts, in each of the trials', async () => {
  const model = await startScriptedModel(script);
  try {
    const stores = readStores();
    const ids = ['pt-sim-book', 'pt-sim-payment', 'es-sim-person', 'en-sim-unknown', 'en-sim-move'];
    const scenes = readSimulations().filter(({ id }) => ids.includes(id));
    const conversations = await withPlatform((platform) =>
      Promise.all(
        scenes.map(async (scene) => ({
          ...scene,
          trials: await Promise.all(
            [0, 1].map((seed) =>
              play(
                platform,
                scene,
                stores[scene.language],
                { provider: 'demo' },
                {
                  answerWithinMs: 60_000,
                  part: simulated(scene, { connection: model.connection, mostLines: 4 }, seed),
                },
              ),
            ),
          ),
        })),
      ),
    );
    const faults = Object.fromEntries(
      conversations.map(({ id, trials }) => [
        id,
        trials.map((trial) => trial.faults.map((fault) => fault.split(':')[0])),
      ]),
    );
    expect(faults).toEqual({
      // One of the two booked what the goal says.
      'pt-sim-book': [[], ['appointments']],
      'pt-sim-payment': [[], []],
      'es-sim-person': [[], []],
      'en-sim-unknown': [[], []],
      'en-sim-move': [
        ['the model of the customer ended before its first message', 'appointments', 'told'],
        ['the model of the customer ended before its first message', 'appointments', 'told'],
      ],
    });
    const results: Results = { name: 'n', model: 'demo', customer: 'plays', at: '', trials: 2, conversations };
    expect(tableOf(results).split('\n').at(-1)).toMatch(/all +\| 7\/10 +\| 3\/5/);
    const [booked] = conversations.find(({ id }) => id === 'pt-sim-book')?.trials ?? [];
    expect(booked?.transcript.at(-1)).toEqual({ from: 'event', text: 'the customer has ended' });
  } finally {
    model.stop();
  }
});
