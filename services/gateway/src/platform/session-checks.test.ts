import type { Authorized, checkPersonSessions } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSessionChecks, toCaller } from './session-checks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const authorized: Authorized = {
  ...{ session_id: 'abcdefghijkl', user_id: 'u', role: 'owner', seller_id: null },
  ...{ store_id: 's', tier: 'pro', country: null },
};
const caller = toCaller(authorized);

/** Accounts as the test says, and what it was asked. */
function scripted() {
  const state = { isDown: false, over: new Set<string>() };
  const asked: (readonly string[])[] = [];
  const call = async (_operation: typeof checkPersonSessions, { body }: { body: { tokens: string[] } }) => {
    asked.push(body.tokens);
    if (state.isDown) throw new AppError('service_unavailable');
    return { sessions: body.tokens.map((token) => (state.over.has(token) ? null : authorized)) };
  };
  const logged: string[] = [];
  const write = (_: object, text: string) => void logged.push(text);
  const log = { warn: write, info: (text: string) => void logged.push(text), error: write } as unknown as Log;
  const checks = createSessionChecks({ rpc: { call } as unknown as RpcClient, log });
  checks.start();
  return { state, asked, logged, checks };
}

test('2,400 sessions are checked with three requests each time, and each once for all of its streams', async () => {
  const { asked, checks } = scripted();
  for (let stream = 0; stream < 4800; stream += 1) checks.follow(`token ${stream % 2400}`, caller);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.map((tokens) => tokens.length)).toEqual([1000, 1000, 400]);
  expect(new Set(asked.flat()).size).toBe(2400);
  await checks.stop();
});

test('a session that is over is refused within a second, and others are not', async () => {
  const { state, checks } = scripted();
  const [over, open] = [checks.follow('a', caller), checks.follow('b', caller)];
  state.over.add('a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(() => over.caller()).toThrow(expect.objectContaining({ code: 'invalid_session' }));
  expect(open.caller()).toEqual(caller);
  await checks.stop();
});

test('what accounts said counts for 2 s, then nothing is known until it answers, and the outage is logged once', async () => {
  const { state, logged, checks } = scripted();
  const session = checks.follow('a', caller);
  await vi.advanceTimersByTimeAsync(1_000);
  state.isDown = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(session.caller()).toEqual(caller);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(() => session.caller()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  state.isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(session.caller()).toEqual(caller);
  expect(logged).toEqual(['the sessions of streams cannot be checked', 'the sessions of streams can be checked again']);
  await checks.stop();
});

test('a session whose streams have ended is not checked any more', async () => {
  const { asked, checks } = scripted();
  const streams = [checks.follow('a', caller), checks.follow('a', caller)];
  streams[0]?.release();
  streams[0]?.release();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([['a']]);
  streams[1]?.release();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual([['a']]);
  await checks.stop();
});
