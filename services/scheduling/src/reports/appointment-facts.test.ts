import { expect, test } from 'vitest';
import type { AppointmentRow } from '../appointments/appointment.ts';
import { factsOfChange } from './appointment-facts.ts';

const row: AppointmentRow = {
  ...{ store_id: 'store', id: 'id', lead_id: null, title: 'Haircut', notes: null, metadata: {}, version: 1 },
  ...{ scheduled_at: new Date(0), duration_minutes: 60, status: 'scheduled', confirmed_at: null, moved_at: null },
  ...{ seller_id: 'seller', service_id: null, created_at: new Date(0), updated_at: new Date(0) },
};
const metrics = (change: Partial<AppointmentRow>, before: AppointmentRow = row) =>
  factsOfChange(before, { ...before, ...change }, 'customer').map(({ metric }) => metric);

test('a confirmation counts once, and again after a move', () => {
  const confirmed_at = new Date(1);
  const confirmed = { ...row, confirmed_at };
  expect(metrics({ confirmed_at })).toEqual(['appointments_confirmed']);
  expect(metrics({ confirmed_at: new Date(2) }, confirmed)).toEqual([]);
  expect(metrics({ confirmed_at: null, scheduled_at: new Date(1) }, confirmed)).toEqual(['appointments_moved']);
});

test('a change may be several facts, each with the seller of the appointment after it', () => {
  const changed: AppointmentRow = { ...row, duration_minutes: 30, status: 'cancelled', seller_id: 'other' };
  const names = { seller_id: 'other', service_id: null };
  expect(factsOfChange(row, changed, 'calendar')).toEqual([
    { metric: 'appointments_moved', ...names },
    { metric: 'appointments_cancelled_calendar', ...names },
  ]);
});

test('other changes are no facts', () => {
  expect(metrics({ title: 'Shave', notes: 'x', status: 'done', seller_id: null })).toEqual([]);
});
