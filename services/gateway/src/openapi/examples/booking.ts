import {
  type BookingRules,
  createHold,
  createService,
  deleteService,
  getAvailability,
  getBookingRules,
  getService,
  type Hold,
  listBusyTimes,
  listStoreServices,
  putBookingRules,
  releaseHold,
  renewHold,
  type Service,
  updateService,
} from '@mostrador/contracts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { ids } from './optician.ts';

const rules: BookingRules = {
  overlap: 'reject',
  capacity: 3,
  slot_step_minutes: 30,
  buffer_before_minutes: 0,
  buffer_after_minutes: 15,
  minimum_notice_minutes: 60,
  horizon_days: 60,
  outside_hours: 'reject',
  hours: [
    { weekday: 5, from: '08:00', to: '20:00' },
    { weekday: 6, from: '09:00', to: '13:00' },
  ],
  exceptions: [{ date: '2026-01-23', hours: [] }],
  confirm_words: ['1'],
  cancel_words: ['2'],
  reminders: [
    {
      minutes_before: 1440,
      message: 'Olá, {{name}}! {{service}}: {{time}}. Responda 1 para confirmar ou 2 para cancelar.',
      template: null,
      ask_confirmation: true,
    },
  ],
};
const service: Service = {
  id: ids.service,
  name: 'Exame de vista',
  price_text: 'R$ 120',
  duration_minutes: 45,
  buffer_before_minutes: null,
  buffer_after_minutes: null,
  seller_ids: [ids.seller],
  is_active: true,
};
const params = { serviceId: ids.service };
const hold: Hold = {
  id: ids.hold,
  start: '2026-01-16T17:30:00.000Z',
  duration_minutes: 45,
  seller_id: ids.seller,
  service_id: ids.service,
  expires_at: '2026-01-12T13:15:02.900Z',
};

export const bookingExamples: readonly ExampleOfOperation[] = [
  example(putBookingRules, { body: rules }, rules),
  example(getBookingRules, {}, rules),
  example(
    createService,
    {
      body: {
        name: service.name,
        price_text: service.price_text,
        duration_minutes: service.duration_minutes,
        seller_ids: [],
      },
    },
    { ...service, seller_ids: [] },
  ),
  example(listStoreServices, { query: {} }, listOf([service])),
  example(getService, { params }, service),
  example(updateService, { params, body: { price_text: 'R$ 150' } }, { ...service, price_text: 'R$ 150' }),
  example(deleteService, { params }, { deleted: true, id: ids.service }),
  example(
    getAvailability,
    { query: { from: '2026-01-16T00:00:00-03:00', to: '2026-01-17T00:00:00-03:00', service_id: ids.service } },
    {
      data: [
        { start: '2026-01-16T12:00:00.000Z', end: '2026-01-16T12:45:00.000Z', seller_id: ids.seller },
        { start: '2026-01-16T17:30:00.000Z', end: '2026-01-16T18:15:00.000Z', seller_id: ids.seller },
      ],
      timezone: 'America/Sao_Paulo',
      reason: null,
      next_from: null,
    },
  ),
  example(
    listBusyTimes,
    { query: { from: '2026-01-16T00:00:00-03:00', to: '2026-01-17T00:00:00-03:00' } },
    { data: [{ start: '2026-01-16T15:00:00.000Z', end: '2026-01-16T16:30:00.000Z' }], next_from: null },
  ),
  example(createHold, { body: { start: '2026-01-16T14:30:00-03:00', service_id: ids.service } }, hold),
  example(renewHold, { params: { holdId: ids.hold } }, { ...hold, expires_at: '2026-01-12T13:24:40.120Z' }),
  example(releaseHold, { params: { holdId: ids.hold } }, { released: true, id: ids.hold }),
];
