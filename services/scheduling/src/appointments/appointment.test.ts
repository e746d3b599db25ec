import { AppError } from '@mostrador/kit/rpc/errors';
import { describe, expect, test } from 'vitest';
import {
  type AppointmentPatch,
  type AppointmentRow,
  changeAppointment,
  isShown,
  signalOfChange,
  toAppointment,
} from './appointment.ts';

const scheduled: AppointmentRow = {
  store_id: '0192d6c0-0000-7000-8000-000000000001',
  id: '0192d6c0-0000-7000-8000-000000000002',
  lead_id: null,
  title: 'Haircut',
  scheduled_at: new Date('2027-01-31T09:00:00.000Z'),
  duration_minutes: 60,
  status: 'scheduled',
  notes: 'window seat',
  metadata: { booking: 'B-1' },
  seller_id: null,
  service_id: null,
  confirmed_at: null,
  moved_at: null,
  version: 3,
  created_at: new Date('2026-11-01T10:00:00.123Z'),
  updated_at: new Date('2026-11-02T10:00:00.456Z'),
};

test('the API shows only the specified fields of an appointment, with instants in UTC to the millisecond', () => {
  expect(toAppointment(scheduled)).toEqual({
    store_id: scheduled.store_id,
    id: scheduled.id,
    lead_id: null,
    title: 'Haircut',
    scheduled_at: '2027-01-31T09:00:00.000Z',
    duration_minutes: 60,
    status: 'scheduled',
    notes: 'window seat',
    metadata: { booking: 'B-1' },
    seller_id: null,
    service_id: null,
    confirmed_at: null,
    created_at: '2026-11-01T10:00:00.123Z',
    updated_at: '2026-11-02T10:00:00.456Z',
  });
});

describe('changeAppointment', () => {
  test('a member that the patch leaves out keeps its value', () => {
    expect(changeAppointment(scheduled, { title: 'Shave' })).toEqual({
      title: 'Shave',
      scheduled_at: scheduled.scheduled_at,
      duration_minutes: 60,
      notes: 'window seat',
      status: 'scheduled',
      metadata: { booking: 'B-1' },
      seller_id: null,
      service_id: null,
      confirmed_at: null,
    });
  });

  test('a confirmation is for the time of the appointment: only another time takes it back', () => {
    const confirmed = { ...scheduled, confirmed_at: new Date('2027-01-30T09:00:00.000Z') };
    const confirmedAfter = (patch: AppointmentPatch) => changeAppointment(confirmed, patch)?.confirmed_at;
    expect(confirmedAfter({ title: 'Shave', duration_minutes: 30 })).toEqual(confirmed.confirmed_at);
    expect(confirmedAfter({ scheduled_at: '2027-01-31T09:30:00.000Z' })).toBeNull();
  });

  test('a change of metadata sets its members and keeps the others, and no calendar shows it', () => {
    const changed = changeAppointment(scheduled, { metadata: { room: '2' } });
    expect(changed?.metadata).toEqual({ booking: 'B-1', room: '2' });
    expect(changed && isShown(scheduled, changed)).toBe(false);
    expect(changeAppointment(scheduled, { metadata: null })?.metadata).toEqual({});
  });

  test.each<AppointmentPatch>([
    { title: 'Shave' },
    { notes: null },
    { status: 'done' as const },
    { duration_minutes: 5 },
    { scheduled_at: '2027-01-31T09:00:00.001Z' },
  ])('a calendar shows the change %o', (patch) => {
    const changed = changeAppointment(scheduled, { ...patch, metadata: { room: '2' } });
    expect(changed && isShown(scheduled, changed)).toBe(true);
  });

  test('`null` removes the notes', () => {
    expect(changeAppointment(scheduled, { notes: null })?.notes).toBeNull();
  });

  test.each<AppointmentPatch>([
    { title: 'Haircut' },
    { notes: 'window seat' },
    { status: 'scheduled' as const },
    { duration_minutes: 60 },
    { scheduled_at: '2027-01-31T06:00:00-03:00' },
    { metadata: { booking: 'B-1' } },
    { metadata: {} },
  ])('a patch with the values of the row is no change: %o', (patch) => {
    expect(changeAppointment(scheduled, patch)).toBeNull();
  });

  test.each(['done', 'cancelled', 'no_show'] as const)('a scheduled appointment can become %s', (status) => {
    expect(changeAppointment(scheduled, { status })?.status).toBe(status);
  });

  test.each(['done', 'cancelled', 'no_show'] as const)('%s is final: every patch is rejected', (status) => {
    for (const patch of [{ title: 'Shave' }, { status: 'scheduled' as const }, { status }]) {
      const attempt = () => changeAppointment({ ...scheduled, status }, patch);
      expect(attempt).toThrow(AppError);
      expect(attempt).toThrow(
        expect.objectContaining({ code: 'appointment_not_scheduled', members: { current_status: status } }),
      );
    }
  });
});

test('the signal shows operators whether an appointment was cancelled or changed', () => {
  const signal = (patch: Parameters<typeof changeAppointment>[1]) => {
    const changed = changeAppointment(scheduled, patch);
    return changed && signalOfChange(changed);
  };
  expect(signal({ status: 'cancelled' })).toBe('cancelled');
  expect(signal({ status: 'done' })).toBe('changed');
  expect(signal({ title: 'Shave' })).toBe('changed');
});
