import { describe, expect, test } from 'vitest';
import { afterFailure, candidateOf, candidatesOf, type Situation } from './choose-model.ts';
import type { FailureKind } from './model-failure.ts';

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

  test('each attempt asks the next one', () => {
    expect([1, 2, 3].map((attempt) => candidateOf(['a', 'b'], attempt))).toEqual(['a', 'b', 'a']);
  });
});

describe('after a failure', () => {
  const after = (kind: FailureKind, more: Partial<Situation> & { retryAfterSeconds?: number } = {}) => {
    const { retryAfterSeconds, ...situation } = more;
    return afterFailure({
      ...{ failure: { kind, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }, attempt: 1 },
      ...{ candidates: 1, waitedMs: 0, ...situation },
    });
  };

  test.each(['rate_limited', 'unavailable', 'timed_out', 'malformed', 'rejected'] as const)(
    'a second provider answers at once: %s',
    (kind) => {
      expect(after(kind, { candidates: 2 })).toEqual({ kind: 'retry', delayMs: 0 });
    },
  );

  test('never after a refusal', () => {
    expect(after('refused', { candidates: 2 })).toEqual({ kind: 'hand_over', reason: 'model_refused' });
  });

  test('the wait that the provider names holds, and another round waits longer', () => {
    expect(after('rate_limited', { retryAfterSeconds: 7 })).toEqual({ kind: 'retry', delayMs: 7_000 });
    expect(after('unavailable')).toEqual({ kind: 'retry', delayMs: 2_000 });
    expect(after('unavailable', { attempt: 4, candidates: 2 })).toEqual({ kind: 'retry', delayMs: 4_000 });
  });

  test('a person answers rather than the lead waits two minutes', () => {
    const handedOver = { kind: 'hand_over', reason: 'model_unavailable' };
    expect(after('rate_limited', { retryAfterSeconds: 3600 })).toEqual(handedOver);
    expect(after('timed_out', { waitedMs: 119_000 })).toEqual(handedOver);
    expect(after('malformed', { attempt: 2 })).toEqual(handedOver);
    expect(after('rejected')).toEqual(handedOver);
  });
});
