import { expect, test } from 'vitest';
import { clockTime, comingTime, dayWords, duration, fullTime, isSameDay, shortMoment, waitingTime } from './time.ts';

// In São Paulo it is 15:30.
const now = Date.parse('2026-11-23T18:30:00Z');
const zone = 'America/Sao_Paulo';
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

test('a day is today, yesterday or a date', () => {
  expect(dayWords(ago(1), now, zone, 'en')).toBe('Today');
  expect(dayWords(ago(20), now, zone, 'pt-BR')).toBe('Ontem');
  expect(dayWords(ago(24 * 3), now, zone, 'en')).toBe('Friday, November 20');
  expect(dayWords(ago(24 * 400), now, zone, 'en')).toContain('2025');
});

test('days begin and clocks run as in the store, wherever the person is', () => {
  const [evening, night] = ['2026-11-23T02:30:00Z', '2026-11-23T03:30:00Z'];
  expect(isSameDay(evening, night, zone)).toBe(false);
  expect(isSameDay(evening, night, 'UTC')).toBe(true);
  expect(clockTime(evening, zone, 'pt-BR')).toBe('23:30');
  expect(dayWords(evening, now, zone, 'en')).toBe('Yesterday');
  expect(dayWords(evening, now, 'UTC', 'en')).toBe('Today');
  expect(shortMoment(evening, now, zone, 'en')).toBe('Sun');
  expect(shortMoment(evening, now, 'UTC', 'pt-BR')).toBe('02:30');
});

test('a moment in full names its zone only when the clock of the person shows another time', () => {
  const [at, own] = ['2026-11-23T02:30:00Z', 'America/Bahia'];
  expect(fullTime(at, zone, own, 'en')).toBe('November 22, 2026 at 11:30 PM');
  expect(fullTime(at, zone, 'Europe/Madrid', 'en')).toBe('November 22, 2026 at 11:30 PM GMT-3');
});

test('a list shows the clock, the weekday or the date', () => {
  expect(shortMoment(ago(1), now, zone, 'pt-BR')).toBe('14:30');
  expect(shortMoment(ago(24), now, zone, 'en')).toBe('Sun');
  expect(shortMoment(ago(24 * 10), now, zone, 'en')).toBe('Nov 13');
});

test('what is to come is never in the past', () => {
  expect(comingTime(ago(-1), now, 'en')).toBe('in 1 hour');
  for (const late of [0, 0.05, 24]) expect(comingTime(ago(late), now, 'en')).toBe('now');
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
