import { describe, expect, test } from 'vitest';
import { afterOutages, type OriginState, outagesToOpen, phaseOf } from './origin-state.ts';

const nowMs = 1_000_000;
const closed: OriginState = { failures: 0, openUntilMs: null, probeUntilMs: null, sinceMs: null };
const middle = () => 0.5;
const fail = (state: OriginState, count = 1, isProbe = false, atMs = nowMs) =>
  afterOutages(state, { count, isProbe, nowMs: atMs }, middle);

describe('the circuit of an origin', () => {
  test('is closed without outages, and after fewer than five in a row', () => {
    expect(phaseOf(null, nowMs)).toEqual({ kind: 'closed' });
    const almost = fail(closed, outagesToOpen - 1);
    expect(almost).toEqual({ ...closed, failures: 4 });
    expect(phaseOf(almost, nowMs)).toEqual({ kind: 'closed' });
  });

  test('opens for 30 s with the fifth outage, and remembers since when', () => {
    const open = fail(fail(closed, 4));
    expect(open).toEqual({ failures: 5, openUntilMs: nowMs + 30_000, probeUntilMs: null, sinceMs: nowMs });
    expect(phaseOf(open, nowMs + 1_000)).toEqual({ kind: 'open', forMs: 29_000 });
    expect(phaseOf(open, nowMs + 30_000)).toEqual({ kind: 'due' });
  });

  test('opens for different times, so that the probes of many origins do not come together', () => {
    const openMs = (random: number) =>
      (afterOutages(closed, { count: 5, isProbe: false, nowMs }, () => random).openUntilMs ?? 0) - nowMs;
    expect([openMs(0), openMs(1)]).toEqual([24_000, 36_000]);
  });

  test('is not changed by the outages of calls from before it opened', () => {
    const open = fail(closed, 5);
    expect(fail(open, 100)).toBe(open);
  });

  test('stays open twice as long after a failed probe, and never longer than a minute', () => {
    let state = fail(closed, 5);
    const lengths: number[] = [];
    for (let probe = 0; probe < 4; probe += 1) {
      const atMs = state.openUntilMs as number;
      state = fail({ ...state, probeUntilMs: atMs + 15_000 }, 1, true, atMs);
      lengths.push((state.openUntilMs as number) - atMs);
      expect(state).toMatchObject({ sinceMs: nowMs, probeUntilMs: null });
    }
    expect(lengths).toEqual([60_000, 60_000, 60_000, 60_000]);
  });

  test('lets no other call through while one probes, until the lease of the probe ends', () => {
    const probing = { ...fail(closed, 5), openUntilMs: nowMs, probeUntilMs: nowMs + 15_000 };
    expect(phaseOf(probing, nowMs)).toEqual({ kind: 'open', forMs: 5_000 });
    expect(phaseOf(probing, nowMs + 14_000)).toEqual({ kind: 'open', forMs: 1_000 });
    expect(phaseOf(probing, nowMs + 15_000)).toEqual({ kind: 'due' });
  });
});
