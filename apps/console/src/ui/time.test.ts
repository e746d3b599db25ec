import { expect, test } from 'vitest';
import { dayWords, duration, shortMoment, waitingTime } from './time.ts';

const now = new Date(2026, 10, 23, 15, 30).getTime();
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

test('a day is today, yesterday or a date', () => {
  expect(dayWords(ago(1), now, 'en')).toBe('Today');
  expect(dayWords(ago(20), now, 'pt-BR')).toBe('Ontem');
  expect(dayWords(ago(24 * 3), now, 'en')).toBe('Friday, November 20');
  expect(dayWords(ago(24 * 400), now, 'en')).toContain('2025');
});

test('a list shows the clock, the weekday or the date', () => {
  expect(shortMoment(ago(1), now, 'pt-BR')).toBe('14:30');
  expect(shortMoment(ago(24), now, 'en')).toBe('Sun');
  expect(shortMoment(ago(24 * 10), now, 'en')).toBe('Nov 13');
});

test('a duration is never nothing', () => {
  expect(duration(0, 'en')).toBe('1 min');
  expect(duration(80 * 60_000, 'en')).toBe('1 hr 20 min');
  expect(duration(120 * 60_000, 'en')).toBe('2 hr');
});

test('a wait is shown in its largest unit', () => {
  expect(waitingTime(ago(-1), now, 'en')).toBe('1 min');
  expect(waitingTime(ago(0.99), now, 'en')).toBe('59 min');
  expect(waitingTime(ago(2.9), now, 'en')).toBe('2 hr');
  expect(waitingTime(ago(2.9), now, 'es')).toBe('2 h');
  expect(waitingTime(ago(80), now, 'pt-BR')).toBe('3 dias');
});
