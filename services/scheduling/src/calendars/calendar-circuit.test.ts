import { expect, test } from 'vitest';
import { createCalendarCircuit } from './calendar-circuit.ts';
import { CalendarError } from './calendar-provider.ts';

const refusesAfter = async (count: number, error: CalendarError) => {
  const circuit = createCalendarCircuit();
  for (let time = 0; time < count; time += 1) {
    await expect(circuit.run('c', () => Promise.reject(error))).rejects.toBe(error);
  }
  return circuit.blockedForMs('c') > 0;
};

test('the circuit opens after five outages of a calendar in a row', async () => {
  const down = new CalendarError('unavailable', 'calendar_timeout', 'No answer.');
  expect(await refusesAfter(4, down)).toBe(false);
  expect(await refusesAfter(5, down)).toBe(true);
});

test('refusals and throttling do not count as outages, because the calendar responds', async () => {
  expect(await refusesAfter(10, new CalendarError('refused', 'unauthorized', 'No.'))).toBe(false);
  expect(await refusesAfter(10, new CalendarError('throttled', 'throttled', 'Slow down.'))).toBe(false);
});
