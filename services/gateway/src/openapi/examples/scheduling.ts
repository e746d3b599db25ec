import {
  cancelFollowup,
  createAppointment,
  createFollowup,
  type Followup,
  getAppointment,
  getAppointmentInvitation,
  getCalendarSync,
  getFollowup,
  listAppointments,
  listFollowups,
  updateAppointment,
  updateFollowup,
} from '@mostrador/contracts';
import { bookingExamples } from './booking.ts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { appointment, ids } from './optician.ts';

const params = { appointmentId: ids.appointment };
const message = 'Oi, Helena! Seus óculos já estão prontos?';
export const followup: Followup = {
  id: ids.followup,
  lead_id: ids.lead,
  message,
  template: null,
  due_at: '2026-01-13T13:06:30.512Z',
  next_attempt_at: '2026-01-13T13:06:30.512Z',
  status: 'pending',
  message_id: null,
  error: null,
  cancel_reason: null,
  cancel_on_reply: true,
  cancel_on_appointment: false,
  expires_at: null,
  appointment_id: null,
  reminder: null,
  metadata: {},
  created_at: '2026-01-12T13:06:30.512Z',
  updated_at: '2026-01-12T13:06:30.512Z',
};

export const schedulingExamples: readonly ExampleOfOperation[] = [
  example(
    createAppointment,
    {
      body: {
        title: appointment.title,
        scheduled_at: '2026-01-16T14:30:00-03:00',
        duration_minutes: 45,
        notes: appointment.notes,
        metadata: appointment.metadata,
        lead_id: ids.lead,
      },
    },
    appointment,
  ),
  example(
    listAppointments,
    { query: { status: 'scheduled', from: '2026-01-12T00:00:00-03:00', to: '2026-01-19T00:00:00-03:00' } },
    listOf([appointment]),
  ),
  example(getAppointment, { params }, appointment),
  example(
    updateAppointment,
    { params, body: { scheduled_at: '2026-01-16T16:00:00-03:00' } },
    { ...appointment, scheduled_at: '2026-01-16T19:00:00.000Z', updated_at: '2026-01-13T12:40:08.005Z' },
  ),
  example(
    getCalendarSync,
    { params },
    {
      state: 'synced',
      provider: 'google',
      event_id: '0198c1f51e557f518d7b3c4d5e6f7081',
      attempts: 1,
      last_error: null,
      reason: null,
      next_attempt_at: null,
      synced_at: '2026-01-12T13:06:03.644Z',
    },
  ),
  example(
    getAppointmentInvitation,
    { params },
    {
      file_name: 'appointment.ics',
      mime_type: 'text/calendar; charset=utf-8; method=PUBLISH',
      content: [
        ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Mostrador//Mostrador//EN', 'METHOD:PUBLISH', 'BEGIN:VEVENT'],
        ...[`UID:${ids.appointment}@mostrador`, 'SEQUENCE:0', 'DTSTAMP:20260112T130602Z', 'DTSTART:20260116T173000Z'],
        ...['DTEND:20260116T181500Z', `SUMMARY:${appointment.title}`, 'STATUS:CONFIRMED'],
        ...[`ORGANIZER:urn:uuid:${ids.store}`, 'END:VEVENT', 'END:VCALENDAR', ''],
      ].join('\r\n'),
      url: 'https://api.example.com/calendars/0ZZvK8Qm2Zt7Rw5Yp8Ls4Nd6Hf1Jc0Ga0ZZvK8Qm2Zt7Rw5Yp8Ls4Nd6Hf1Jc0Ga.ics',
    },
  ),
  ...bookingExamples,
  example(createFollowup, { body: { lead_id: ids.lead, message, delay_minutes: 1440 } }, followup),
  example(listFollowups, { query: { status: 'pending,sending' } }, listOf([followup])),
  example(getFollowup, { params: { followupId: ids.followup } }, followup),
  example(
    updateFollowup,
    { params: { followupId: ids.followup }, body: { message, cancel_on_appointment: true } },
    { ...followup, cancel_on_appointment: true, updated_at: '2026-01-12T15:00:12.337Z' },
  ),
  example(cancelFollowup, { params: { followupId: ids.followup } }, { cancelled: true, id: ids.followup }),
];
