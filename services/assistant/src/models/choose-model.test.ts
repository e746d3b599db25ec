import type { ModelFailureKind } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  candidatesOf,
  nextOf,
  type ProviderFailures,
  type Situation,
  withFailure,
} from './choose-model.ts';

const of = (...providers: ('demo' | 'openai' | 'gemini' | 'openai_compatible')[]) =>
  providers.map((provider) => ({ provider }));

describe('who may answer', () => {
  test.each([
    ['auto', of('gemini', 'openai'), ['gemini', 'openai']],
    ['openai', of('gemini', 'openai'), ['openai', 'gemini']],
    ['openai', of('gemini'), ['gemini']],
    ['auto', of('gemini', 'demo'), ['gemini']],
    ['auto', of('demo', 'gemini'), ['demo', 'gemini']],
    ['gemini', of('demo', 'openai', 'gemini'), ['gemini', 'openai']],
    ['gemini', of('demo'), ['demo']],
  ] as const)('an agent with the model %s, of %j', (model, connections, expected) => {
    expect(candidatesOf(connections, model).map(({ provider }) => provider)).toEqual(expected);
  });
});

const candidates = of('openai', 'gemini');
type Failing = readonly [provider: 'openai' | 'gemini', kind: ModelFailureKind, retryAfterSeconds?: number];

/** What follows when these fail one after the other, all at the moment 0. */
function after(failing: readonly Failing[], more: Partial<Situation> = {}) {
  const failures = failing.reduce<ProviderFailures>(
    (known, [provider, kind, retryAfterSeconds]) => withFailure(known, provider, { kind, retryAfterSeconds }, 0),
    {},
  );
  const situation = { candidates: candidates.slice(0, 1), failures, waitsSince: 0, now: 0, ...more };
  return { ...afterFailure(situation), next: nextOf(situation.candidates, failures)?.provider };
}
const two = { candidates };
const unavailable = { kind: 'hand_over', reason: 'model_unavailable' };

describe('after a failure', () => {
  test.each(['rate_limited', 'unavailable', 'timed_out', 'malformed', 'rejected'] as const)(
    'a second provider answers at once: %s',
    (kind) => {
      expect(after([['openai', kind]], two)).toEqual({ kind: 'retry', delayMs: 0, next: 'gemini' });
    },
  );

  test('never after a refusal', () => {
    expect(after([['openai', 'refused']], two)).toMatchObject({ kind: 'hand_over', reason: 'model_refused' });
  });

  test('the wait that the provider names holds, and another one is longer', () => {
    expect(after([['openai', 'rate_limited', 7]])).toMatchObject({ kind: 'retry', delayMs: 7_000 });
    expect(after([['openai', 'unavailable']])).toMatchObject({ kind: 'retry', delayMs: 2_000 });
    expect(after(Array(2).fill(['openai', 'unavailable']))).toMatchObject({ kind: 'retry', delayMs: 4_000 });
  });

  test('of two that have failed, the one that may be asked again first is asked', () => {
    const limited: Failing = ['openai', 'rate_limited', 30];
    expect(after([limited, ['gemini', 'unavailable']], two)).toEqual({ kind: 'retry', delayMs: 2_000, next: 'gemini' });
  });

  test('one that only a person can mend does not defeat the other, and is not asked again', () => {
    const dead: Failing = ['gemini', 'rejected'];
    const next = { kind: 'retry', delayMs: 2_000, next: 'openai' };
    expect(after([['openai', 'unavailable'], dead], two)).toEqual(next);
    expect(after([['openai', 'rejected'], dead], two)).toMatchObject(unavailable);
  });

  test('a person answers rather than the lead waits two minutes', () => {
    expect(after([['openai', 'rate_limited', 3600]])).toMatchObject(unavailable);
    expect(after([['openai', 'timed_out']], { waitsSince: -119_000 })).toMatchObject(unavailable);
    const slow: Failing[] = [
      ['openai', 'timed_out'],
      ['gemini', 'timed_out'],
    ];
    expect(after(slow, { ...two, now: 130_000 })).toMatchObject(unavailable);
    expect(after(Array(2).fill(['openai', 'malformed']))).toMatchObject(unavailable);
    expect(after([['openai', 'rejected']])).toMatchObject(unavailable);
  });
});
