import { randomUUID } from 'node:crypto';
import {
  createHold,
  decisionHoldMinutes,
  deleteService,
  getAppointment,
  getBookingRules,
  getService,
  holdForDecision,
  listAppointments,
  listStoreServices,
  putBookingRules,
  releaseHold,
  renewHold,
  replanFollowups,
  summarizeScheduling,
  updateAppointment,
  updateService,
} from '@mostrador/contracts';
import type { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, startBooking, type TestBooking } from '../../test/booking.ts';
import { purgeHolds } from '../availability/purge-holds.ts';
import type { SeenEvent } from '../calendar-watch/event-change.ts';
import { settleEvent } from '../calendar-watch/settle-event.ts';

let booking: TestBooking;
beforeAll(async () => {
  booking = await startBooking();
});
afterAll(() => booking?.stop());

/** A Friday in the future. */
const day = '2027-01-15';
const at = (time: string, date = day) => `${date}T${time}:00.000Z`;
const later = (start: string, minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString();
const refusal = async (attempt: Promise<unknown>) =>
  (await attempt.then(
    () => undefined,
    (error) => error,
  )) as AppError | undefined;

describe('rules', () => {
  test('a store has none until it sets them, and then what it set with the defaults', async () => {
    const storeId = randomUUID();
    const read = () => booking.rpc.forward(getBookingRules, {}, testContext({ storeId }));
    await expect(read()).rejects.toMatchObject({ code: 'booking_rules_not_found' });
    const saved = await booking.rules(storeId, { overlap: 'allow' });
    expect(saved).toEqual({
      ...{ overlap: 'allow', capacity: 1, slot_step_minutes: 30, minimum_notice_minutes: 0, horizon_days: 365 },
      ...{ buffer_before_minutes: 0, buffer_after_minutes: 0, outside_hours: 'reject', hours: null, exceptions: [] },
      ...{ reminders: [], confirm_words: ['1'], cancel_words: ['2'] },
    });
    const { body, headers } = await read();
    expect(JSON.parse(Buffer.from(body).toString())).toEqual(saved);
    expect(headers.etag).toBe('"v1"');
    const put = (ifMatch: string) =>
      booking.rpc.call(putBookingRules, { body: { overlap: 'reject' } }, testContext({ storeId, ifMatch }));
    await expect(put('"v2"')).rejects.toMatchObject({ code: 'version_mismatch' });
    await put('"v1"');
    expect((await read()).headers.etag).toBe('"v2"');
  });

  test('an appointment whose time goes beyond the years of the API has a place', async () => {
    const storeId = randomUUID();
    await booking.book(storeId, '9999-12-31T23:59:59.999Z');
    await booking.rules(storeId, { buffer_before_minutes: 30, buffer_after_minutes: 30 });
    const last = await refusal(booking.book(storeId, '9999-12-31T22:59:59.999Z'));
    expect(last).toMatchObject({ code: 'appointment_conflict' });
    await booking.book(storeId, '0001-01-01T00:00:00.000Z');
  });

  test.each([
    ['hours that end before they begin', { hours: [{ weekday: 1, from: '18:00', to: '09:00' }] }],
    ['a weekday 0', { hours: [{ weekday: 0, from: '09:00', to: '18:00' }] }],
    ['a date that does not exist', { exceptions: [{ date: '2027-02-30', hours: [] }] }],
    [
      'a date twice',
      {
        exceptions: [
          { date: day, hours: [] },
          { date: day, hours: [] },
        ],
      },
    ],
    ['a negative capacity', { capacity: -1 }],
    ['a buffer of a day', { buffer_after_minutes: 1440 }],
  ])('%s is rejected', async (_, wrong) => {
    await expect(booking.rules(randomUUID(), wrong)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('the first rules place the appointments that exist, also more of them than there are places', async () => {
    const storeId = randomUUID();
    const seller_id = booking.addSeller(storeId);
    const first = await booking.book(storeId, at('09:00'), { seller_id });
    await booking.book(storeId, at('09:30'), { seller_id });
    await booking.book(storeId, at('09:00'));
    await booking.book(storeId, at('09:00'), { duration_minutes: 120 });
    await booking.book(storeId, at('09:00', '2020-01-15'));
    await booking.rules(storeId);
    expect(await booking.taken(storeId)).toHaveLength(4);
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('appointment_conflict');
    expect(await outcomeOf(booking.book(storeId, at('11:00')))).toBe('done');
    expect(await outcomeOf(booking.book(storeId, at('10:00'), { seller_id }))).toBe('appointment_conflict');
    await booking.change(storeId, first.id, { status: 'cancelled' });
    expect(await outcomeOf(booking.book(storeId, at('10:00'), { seller_id }))).toBe('appointment_conflict');
    expect(await outcomeOf(booking.book(storeId, at('08:30'), { seller_id }))).toBe('done');
  });

  test.each([
    ['of the rules', 'store'],
    ['of a service', 'service'],
  ] as const)('other buffers %s hold at once for what is booked, in both directions', async (_, whose) => {
    const storeId = await booking.store();
    const seller_id = booking.addSeller(storeId);
    const service = whose === 'service' ? await booking.service(storeId) : undefined;
    const names = service ? { service_id: service.id } : {};
    const first = await booking.book(storeId, at('09:00'), names);
    for (const time of ['09:00', '10:00']) await booking.book(storeId, at(time), { ...names, seller_id });
    const setBuffer = (buffer_after_minutes: number) =>
      service
        ? booking.rpc.call(
            updateService,
            { params: { serviceId: service.id }, body: { buffer_after_minutes } },
            testContext({ storeId }),
          )
        : booking.rules(storeId, { buffer_after_minutes });
    const untilOf = async (id: string) => (await booking.taken(storeId)).find((each) => each.id === id)?.ends_at;
    await setBuffer(30);
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('appointment_conflict');
    expect(await untilOf(first.id)).toEqual(new Date(at('10:30')));
    expect(await outcomeOf(booking.book(storeId, at('11:00'), { seller_id }))).toBe('appointment_conflict');
    const second = await booking.book(storeId, at('10:30'), names);
    await setBuffer(0);
    expect(await untilOf(first.id)).toEqual(new Date(at('10:00')));
    expect(await outcomeOf(booking.book(storeId, at('08:00')))).toBe('done');
    await booking.change(storeId, second.id, { status: 'cancelled' });
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('done');
    expect(await outcomeOf(booking.book(storeId, at('11:00'), { seller_id }))).toBe('done');
    // Each has the place of the seller again.
    const ofSeller = (await booking.taken(storeId)).filter((each) => each.seller_id === seller_id);
    expect(ofSeller.map(({ place }) => place)).toEqual([seller_id, seller_id, seller_id]);
  });

  test('the appointments of a deleted service have the buffers of the rules', async () => {
    const storeId = await booking.store();
    const { id: service_id } = await booking.service(storeId, { buffer_before_minutes: 60, buffer_after_minutes: 60 });
    await booking.book(storeId, at('09:00'), { service_id });
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('appointment_conflict');
    await booking.rpc.call(deleteService, { params: { serviceId: service_id } }, testContext({ storeId }));
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('done');
  });

  test('a booking has the buffers of its service as they are when it is written', async () => {
    const storeId = await booking.store();
    const { id } = await booking.service(storeId);
    const update = () =>
      booking.rpc.call(
        updateService,
        { params: { serviceId: id }, body: { buffer_after_minutes: 30 } },
        testContext({ storeId }),
      );
    const hours = Array.from({ length: 20 }, (_, hour) => hour);
    const bookings = hours.map((hour) => booking.book(storeId, later(at('00:00'), 60 * hour), { service_id: id }));
    await Promise.all([...bookings, update()].map(outcomeOf));
    const spans = (await booking.taken(storeId)).map(({ starts_at, ends_at }) => +ends_at - +starts_at);
    expect(new Set(spans)).toEqual(new Set([90 * 60_000]));
  });

  test('rules that allow overlaps take no places, and what the previous version wrote gets its place with the next rules', async () => {
    const storeId = await booking.store();
    const { id } = await booking.book(storeId, at('09:00'));
    await booking.rules(storeId, { overlap: 'allow' });
    expect(await booking.taken(storeId)).toEqual([]);
    await booking.book(storeId, at('09:00'));
    await booking.rules(storeId);
    // As a version without places would.
    await booking.adminSql`update appointments set scheduled_at = ${at('15:00')} where id = ${id}`;
    await booking.rules(storeId);
    const taken = await booking.taken(storeId);
    expect(taken.map(({ starts_at }) => starts_at.toISOString())).toEqual([at('09:00'), at('15:00')]);
  });
});

describe('a store without rules', () => {
  test('may overlap at any time, and keeps the seller and the service that an appointment names', async () => {
    const storeId = randomUUID();
    const seller_id = booking.addSeller(storeId, { bookable: false });
    const service = await booking.service(storeId, { duration_minutes: 25 });
    const names = { seller_id, service_id: service.id };
    const [one, other] = await Promise.all([
      booking.book(storeId, at('03:00'), names),
      booking.book(storeId, at('03:00'), names),
    ]);
    expect([one, other]).toMatchObject([names, { ...names, duration_minutes: 25 }]);
    expect(await booking.book(storeId, at('03:00'))).toMatchObject({ seller_id: null, service_id: null });
    expect(await booking.taken(storeId)).toEqual([]);
    const list = async (query: object) =>
      (await booking.rpc.call(listAppointments, { query }, testContext({ storeId }))).data.length;
    expect([await list({ seller_id }), await list({ service_id: service.id }), await list({})]).toEqual([2, 2, 3]);
    expect(await list({ seller_id, sort: 'updated_at' })).toBeLessThanOrEqual(2);
  });

  test('what is not there is refused, also of another store', async () => {
    const [storeId, otherId] = [randomUUID(), randomUUID()];
    const inactive = booking.addSeller(storeId, { is_active: false });
    const service = await booking.service(storeId, { is_active: false });
    const foreign = await booking.service(otherId);
    const outcomes = await Promise.all(
      [
        booking.book(storeId, at('09:00'), { seller_id: randomUUID() }),
        booking.book(storeId, at('09:00'), { seller_id: booking.addSeller(otherId) }),
        booking.book(storeId, at('09:00'), { seller_id: inactive }),
        booking.book(storeId, at('09:00'), { service_id: foreign.id }),
        booking.book(storeId, at('09:00'), { service_id: service.id }),
        booking.book(storeId, at('09:00'), { hold_id: randomUUID() }),
        booking.hold(storeId, at('09:00')),
        booking.free(storeId, { from: at('09:00'), to: at('18:00'), duration_minutes: 60 }),
      ].map(outcomeOf),
    );
    expect(outcomes).toEqual([
      ...['seller_not_found', 'seller_not_found', 'seller_inactive', 'service_not_found', 'service_inactive'],
      ...['hold_not_found', 'booking_rules_not_found', 'booking_rules_not_found'],
    ]);
  });
});

describe('the order of refusals', () => {
  test('what is not there comes before the state of what is', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const bare = randomUUID();
    const inactive = booking.addSeller(storeId, { is_active: false });
    const inactiveOfBare = booking.addSeller(bare, { is_active: false });
    const service = await booking.service(storeId, { is_active: false });
    const unknown = randomUUID();
    const done = await booking.book(storeId, at('09:00'));
    const open = await booking.book(storeId, at('12:00'));
    await booking.change(storeId, done.id, { status: 'done' });
    const range = { from: at('09:00'), to: at('18:00') };
    const attempts: [string, () => Promise<unknown>][] = [
      ['seller_not_found', () => booking.book(storeId, at('15:00'), { service_id: service.id, seller_id: unknown })],
      ['lead_not_found', () => booking.book(storeId, at('15:00'), { seller_id: inactive, lead_id: unknown })],
      ['hold_not_found', () => booking.book(storeId, at('15:00'), { seller_id: inactive, hold_id: unknown })],
      ['seller_inactive', () => booking.book(storeId, at('15:00'), { seller_id: inactive })],
      ['seller_not_found', () => booking.change(storeId, open.id, { service_id: service.id, seller_id: unknown })],
      ['hold_not_found', () => booking.change(storeId, open.id, { seller_id: inactive, hold_id: unknown })],
      ['seller_not_found', () => booking.change(storeId, done.id, { seller_id: unknown })],
      ['service_not_found', () => booking.change(storeId, done.id, { service_id: unknown })],
      ['hold_not_found', () => booking.change(storeId, done.id, { hold_id: unknown })],
      ['appointment_not_scheduled', () => booking.change(storeId, done.id, { seller_id: inactive })],
      ['appointment_not_scheduled', () => booking.change(storeId, done.id, { service_id: service.id })],
      ['seller_not_found', () => booking.hold(storeId, at('15:00'), { service_id: service.id, seller_id: unknown })],
      ['booking_rules_not_found', () => booking.hold(bare, at('15:00'), { seller_id: inactiveOfBare })],
      ['seller_inactive', () => booking.hold(storeId, at('15:00'), { seller_id: inactive })],
      ['seller_inactive', () => booking.free(storeId, { ...range, duration_minutes: 60, seller_id: inactive })],
      [
        'booking_rules_not_found',
        () => booking.free(bare, { ...range, duration_minutes: 60, seller_id: inactiveOfBare }),
      ],
    ];
    expect(await Promise.all(attempts.map(([, attempt]) => outcomeOf(attempt())))).toEqual(
      attempts.map(([code]) => code),
    );
  });

  test('what is not valid comes before what is not there', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const seller_id = randomUUID();
    const range = { from: at('09:00'), to: at('18:00') };
    const withoutDuration = { start: at('09:00'), seller_id };
    const attempts = [
      booking.free(storeId, { ...range, seller_id }),
      booking.rpc.call(createHold, { body: withoutDuration }, testContext({ storeId })),
      booking.change(storeId, randomUUID(), { hold_id: randomUUID(), status: 'done' }),
    ];
    const errors = (await Promise.all(attempts.map(refusal))).map((error) => error?.members?.errors);
    expect(errors).toMatchObject([
      [{ in: 'query', name: 'duration_minutes' }],
      [{ pointer: '#/duration_minutes' }],
      [{ pointer: '#/hold_id' }],
    ]);
  });
});

describe('services', () => {
  test('are created, listed, changed and deleted, each in its own store', async () => {
    const storeId = randomUUID();
    const seller = booking.addSeller(storeId);
    const service = await booking.service(storeId, { seller_ids: [seller], price_text: '$40' });
    expect(service).toEqual({
      ...{ id: service.id, name: 'Haircut', duration_minutes: 60, seller_ids: [seller], price_text: '$40' },
      ...{ buffer_before_minutes: null, buffer_after_minutes: null, is_active: true },
    });
    const params = { serviceId: service.id };
    const { data, total } = await booking.rpc.call(listStoreServices, { query: {} }, testContext({ storeId }));
    expect({ data, total }).toEqual({ data: [service], total: 1 });
    const changed = await booking.rpc.call(
      updateService,
      { params, body: { buffer_after_minutes: 10, seller_ids: [] } },
      testContext({ storeId, ifMatch: '"v1"' }),
    );
    expect(changed).toEqual({ ...service, buffer_after_minutes: 10, seller_ids: [] });
    const stale = booking.rpc.call(deleteService, { params }, testContext({ storeId, ifMatch: '"v1"' }));
    await expect(stale).rejects.toMatchObject({ code: 'version_mismatch' });
    const { id } = await booking.book(storeId, at('09:00'), { service_id: service.id });
    await booking.rpc.call(deleteService, { params }, testContext({ storeId }));
    const told = await booking.adminSql`
      select data->>'service_id' as id from feed_entries where store_id = ${storeId} and type = 'booking.changed'`;
    expect(told.map((row) => row.id)).toEqual([service.id, service.id, service.id]);
    for (const store of [storeId, randomUUID()]) {
      const reading = booking.rpc.call(getService, { params }, testContext({ storeId: store }));
      await expect(reading).rejects.toMatchObject({ code: 'service_not_found' });
    }
    expect(await booking.change(storeId, id, { title: 'x' })).toMatchObject({ service_id: service.id });
  });

  test('name any seller of the store, keep one who is not bookable or gone, and refuse a stranger by their id', async () => {
    const storeId = await booking.store();
    const [gone, idle, able] = [
      ...[booking.addSeller(storeId), booking.addSeller(storeId, { bookable: false, is_active: false })],
      booking.addSeller(storeId),
    ] as [string, string, string];
    const { id: service_id } = await booking.service(storeId, { seller_ids: [gone, idle, able, able.toUpperCase()] });
    booking.removeSeller(gone);
    expect(await booking.book(storeId, at('09:00'), { service_id })).toMatchObject({ seller_id: able });
    const { data } = await booking.free(storeId, { from: at('12:00'), to: at('13:00'), service_id });
    expect(new Set(data.map(({ seller_id }) => seller_id))).toEqual(new Set([able]));
    const change = (seller_ids: string[]) =>
      booking.rpc.call(
        updateService,
        { params: { serviceId: service_id }, body: { seller_ids } },
        testContext({ storeId }),
      );
    expect(await change([able, gone, idle])).toMatchObject({ seller_ids: [able, gone, idle] });
    const stranger = booking.addSeller(randomUUID());
    const refused = {
      code: 'seller_not_found',
      detail: `The store has no seller with the id ${stranger}. Check the id.`,
    };
    await expect(booking.service(storeId, { seller_ids: [able, stranger] })).rejects.toMatchObject(refused);
    await expect(change([able, gone, stranger])).rejects.toMatchObject(refused);
    expect(await change([able])).toMatchObject({ seller_ids: [able] });
    await expect(change([able, gone])).rejects.toMatchObject({ code: 'seller_not_found' });
  });
});

describe('the report', () => {
  const report = async (storeId: string) => {
    const boundaries = [Date.now() - 600_000, Date.now() + 600_000];
    const context = testContext({ storeId });
    return await booking.rpc.call(summarizeScheduling, { body: { boundaries } }, context);
  };
  const cancelled = { api: 0, console: 0, calendar: 0, customer: 0, agent: 0, system: 0 };
  const nothing = { refused: 0, moved: 0, confirmed: 0, no_shows: 0, cancelled };

  test('has each refusal for a taken place, also of a hold and a move, with the seller and the service that it names', async () => {
    const storeId = await booking.store();
    const seller_id = booking.addSeller(storeId);
    const { id: service_id } = await booking.service(storeId, { seller_ids: [seller_id] });
    await booking.book(storeId, at('09:00'), { seller_id });
    const moving = await booking.book(storeId, at('10:00'), { seller_id });
    const attempts = [
      booking.book(storeId, at('09:00'), { seller_id }),
      booking.book(storeId, at('09:30'), { service_id }),
      booking.hold(storeId, at('09:00'), { seller_id }),
      booking.change(storeId, moving.id, { scheduled_at: at('09:15') }),
    ];
    const conflict = 'appointment_conflict';
    expect(await Promise.all(attempts.map(outcomeOf))).toEqual([conflict, conflict, conflict, conflict]);
    await booking.book(storeId, at('12:00'));
    const { appointments, appointments_by_seller, appointments_by_service } = await report(storeId);
    expect(appointments.total).toEqual({ ...nothing, created: 3, without_lead: 3, refused: 4 });
    expect(appointments_by_seller).toEqual([{ seller_id, ...nothing, refused: 3 }]);
    expect(appointments_by_service).toEqual([{ service_id, name: 'Haircut', ...nothing, refused: 1 }]);
  });

  test('has what became of appointments by where it came from, also in a store without rules', async () => {
    const storeId = randomUUID();
    const { id: service_id } = await booking.service(storeId);
    const made = await Promise.all(
      ['09:00', '10:00', '11:00'].map((time) => booking.book(storeId, at(time), { service_id })),
    );
    const [first, second, third] = made.map(({ id }) => id) as [string, string, string];
    await booking.change(storeId, first, { scheduled_at: at('12:00') });
    await booking.change(storeId, first, { title: 'Shave' });
    await booking.change(storeId, first, { status: 'cancelled' });
    await booking.rpc.call(
      updateAppointment,
      { params: { appointmentId: second }, body: { status: 'cancelled' } },
      testContext({ storeId, actor: { kind: 'user', id: null } }),
    );
    await booking.change(storeId, third, { status: 'no_show' });
    await booking.rpc.call(deleteService, { params: { serviceId: service_id } }, testContext({ storeId }));
    const { appointments, appointments_by_service } = await report(storeId);
    const changes = { ...nothing, moved: 1, no_shows: 1, cancelled: { ...cancelled, api: 1, console: 1 } };
    expect(appointments.total).toEqual({ ...changes, created: 3, without_lead: 3 });
    expect(appointments_by_service).toEqual([{ service_id, name: null, ...changes }]);
  });
});

describe('places', () => {
  test('100 requests for the last place: one gets it, and the others get free alternatives', async () => {
    const storeId = await booking.store({ capacity: 2, buffer_after_minutes: 15 });
    await booking.book(storeId, at('09:00'));
    const attempts = Array.from({ length: 100 }, () => refusal(booking.book(storeId, at('09:30'))));
    const refused = (await Promise.all(attempts)).filter((error) => error !== undefined);
    expect(refused).toHaveLength(99);
    for (const { code, members } of refused) {
      expect(code).toBe('appointment_conflict');
      expect(members?.alternatives).toEqual(['10:30', '11:00', '11:30', '12:00', '12:30'].map((time) => at(time)));
    }
    // One place is free from 10:15 on. The other one is taken until 10:45.
    expect(await outcomeOf(booking.book(storeId, at('10:30')))).toBe('done');
  });

  test('a refused booking of a service gets five other starts, however many sellers are free at each', async () => {
    const storeId = await booking.store({ hours: [{ weekday: 5, from: '09:00', to: '18:00' }] });
    const seller_ids = Array.from({ length: 7 }, () => booking.addSeller(storeId));
    const { id: service_id } = await booking.service(storeId, { seller_ids });
    await Promise.all(seller_ids.map(() => booking.book(storeId, at('09:00'), { service_id })));
    const alternatives = ['10:00', '10:30', '11:00', '11:30', '12:00'].map((time) => at(time));
    for (const attempt of [booking.book, booking.hold] as const) {
      const refused = await refusal(attempt(storeId, at('09:00'), { service_id, duration_minutes: 60 }));
      expect(refused).toMatchObject({ code: 'appointment_conflict', members: { alternatives } });
    }
  });

  test('of requests that share a transaction only those without a place fail, and each key keeps its own answer', async () => {
    const storeId = await booking.store();
    const times = ['09:00', '09:30', '10:00', '09:00', '11:00'];
    const ask = () =>
      Promise.all(
        times.map((time, index) => outcomeOf(booking.book(storeId, at(time), {}, { idempotencyKey: `k${index}` }))),
      );
    const outcomes = await ask();
    const startsOf = (outcome: string) =>
      times.filter((_, index) => outcomes[index] === outcome).map((time) => Date.parse(at(time)));
    const overlap = (one: number, other: number) => Math.abs(one - other) < 3_600_000;
    // Which one comes first is open.
    const [booked, refused] = [startsOf('done'), startsOf('appointment_conflict')];
    expect(booked.length + refused.length).toBe(times.length);
    expect(booked).toContain(Date.parse(at('11:00')));
    for (const start of booked) expect(booked.filter((other) => overlap(start, other))).toEqual([start]);
    for (const start of refused) expect(booked.some((other) => overlap(start, other))).toBe(true);
    expect(await ask()).toEqual(outcomes);
    const taken = (await booking.taken(storeId)).map(({ starts_at }) => +starts_at);
    expect(taken.toSorted()).toEqual(booked.toSorted());
  });

  test('two hours fit beside one hour on each of two places', async () => {
    const storeId = await booking.store({ capacity: 2 });
    for (const time of ['09:00', '09:00', '10:00', '11:00']) await booking.book(storeId, at(time));
    const [first] = await booking.taken(storeId);
    await booking.change(storeId, first?.id as string, { status: 'cancelled' });
    // Forces the neighbours onto different places.
    await booking.adminSql`
      update bookings set place = ('00000000-0000-0000-0000-00000000000' || case
        when starts_at = ${at('10:00')} then '2' else '1' end)::uuid where store_id = ${storeId}`;
    expect(await outcomeOf(booking.book(storeId, at('09:00'), { duration_minutes: 180 }))).toBe('done');
    expect(await outcomeOf(booking.book(storeId, at('09:30')))).toBe('appointment_conflict');
    expect(new Set((await booking.taken(storeId)).map(({ place }) => place)).size).toBe(2);
  });

  test('a booking that fits is taken although others get other places for more than a month', async () => {
    const storeId = await booking.store({ capacity: 2, horizon_days: 730, slot_step_minutes: 60 });
    const day = { duration_minutes: 1440 };
    const half = (count: number) => later(at('12:00'), count * 720);
    // Two chains of days, which begin half a day apart: those that begin at noon have the other place than those at midnight.
    for (let count = 2; count < 90; count += 1) await booking.book(storeId, half(count), day);
    await booking.book(storeId, half(1), day);
    await booking.book(storeId, half(-1), day);
    const { data } = await booking.free(storeId, { from: half(0), to: later(half(0), 60), ...day });
    expect(data.map(({ start }) => start)).toEqual([half(0)]);
    expect(await outcomeOf(booking.book(storeId, half(0), day))).toBe('done');
    expect(new Set((await booking.taken(storeId)).map(({ place }) => place)).size).toBe(2);
    const refused = await refusal(booking.book(storeId, half(0), day));
    expect(refused?.members?.alternatives).not.toContain(half(0));
  });

  test.each(['allow', 'reject'] as const)(
    'with `overlap: %s` an appointment keeps a seller who became inactive or was deleted, also when it moves',
    async (overlap) => {
      const storeId = await booking.store({ overlap, capacity: 0 });
      const [idle, gone] = [booking.addSeller(storeId), booking.addSeller(storeId)];
      const { id: service_id } = await booking.service(storeId, { seller_ids: [idle, gone] });
      const other = await booking.book(storeId, at('12:00'), { seller_id: gone });
      const made: { id: string; seller_id: string }[] = [];
      for (const seller_id of [idle, gone]) {
        const { id } = await booking.book(storeId, at('09:00'), { seller_id, service_id });
        made.push({ id, seller_id });
      }
      booking.setSeller(idle, { is_active: false });
      booking.removeSeller(gone);
      for (const { id, seller_id } of made) {
        const range = { from: at('09:00'), to: at('10:30'), service_id, seller_id };
        const { data } = await booking.free(storeId, { ...range, appointment_id: id });
        expect(data.map((each) => [each.start, each.seller_id])).toEqual(
          ['09:00', '09:30', '10:00'].map((time) => [at(time), seller_id]),
        );
        expect(await outcomeOf(booking.free(storeId, range))).toBe(
          seller_id === idle ? 'seller_inactive' : 'seller_not_found',
        );
        expect(await booking.change(storeId, id, { scheduled_at: at('10:00') })).toMatchObject({ seller_id });
      }
      if (overlap === 'allow') return;
      const moving = made[1]?.id as string;
      const refused = await refusal(booking.change(storeId, moving, { scheduled_at: at('11:30') }));
      const alternatives = ['13:00', '13:30', '14:00', '14:30', '15:00'].map((time) => at(time));
      expect(refused).toMatchObject({ code: 'appointment_conflict', members: { alternatives } });
      expect((await booking.taken(storeId)).map(({ place }) => place).toSorted()).toEqual(
        [idle, gone, gone].toSorted(),
      );
      // Only the request takes the seller away.
      await booking.rules(storeId, { overlap, capacity: 1 });
      expect(await booking.change(storeId, other.id, { seller_id: null })).toMatchObject({ seller_id: null });
    },
  );

  test('the alternatives keep to the notice and the horizon', async () => {
    const storeId = await booking.store({ slot_step_minutes: 60, minimum_notice_minutes: 120, horizon_days: 1 });
    const hour = 3_600_000;
    const next = Math.ceil(Date.now() / hour) * hour;
    const alternativesAt = async (start: number) => {
      const book = () => booking.book(storeId, new Date(start).toISOString(), { duration_minutes: 60 });
      await book();
      const alternatives = ((await refusal(book()))?.members?.alternatives ?? []) as string[];
      expect(alternatives).not.toHaveLength(0);
      return alternatives.map((each) => Date.parse(each));
    };
    const soonest = Math.min(...(await alternativesAt(next)));
    expect(soonest - Date.now()).toBeGreaterThan(119 * 60_000);
    const latest = Math.max(...(await alternativesAt(next + 22 * hour)));
    expect(latest).toBeLessThanOrEqual(Date.now() + 24 * hour);
  });

  test('a move, another duration and another seller need a free place, and a refusal changes nothing', async () => {
    const storeId = await booking.store({ capacity: 1 });
    const [ana, rui] = [booking.addSeller(storeId), booking.addSeller(storeId)];
    await booking.book(storeId, at('09:00'), { seller_id: ana });
    const moving = await booking.book(storeId, at('09:00'), { seller_id: rui });
    const anonymous = await booking.book(storeId, at('10:00'));
    const change = (body: Parameters<TestBooking['change']>[2]) => outcomeOf(booking.change(storeId, moving.id, body));
    expect(await change({ seller_id: ana })).toBe('appointment_conflict');
    expect(await change({ seller_id: null, duration_minutes: 90 })).toBe('appointment_conflict');
    expect(await change({ duration_minutes: 90 })).toBe('done');
    expect(await change({ scheduled_at: at('09:15') })).toBe('done');
    expect(await change({ seller_id: null, duration_minutes: 45 })).toBe('done');
    await booking.change(storeId, anonymous.id, { status: 'no_show' });
    expect(await change({ duration_minutes: 120 })).toBe('done');
    expect(await booking.taken(storeId)).toHaveLength(2);
    const refused = await refusal(booking.change(storeId, moving.id, { seller_id: ana, scheduled_at: at('08:30') }));
    expect(refused).toMatchObject({ code: 'appointment_conflict' });
    expect(refused?.members?.alternatives).toHaveLength(5);
    const types = (await booking.feed(storeId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'appointment.moved')).toHaveLength(4);
    expect(types).not.toContain('appointment.cancelled');
  });

  test('a service books a seller who is free and open, with its own duration and buffers', async () => {
    const storeId = await booking.store({ buffer_after_minutes: 30 });
    const afternoon = [{ weekday: 5, from: '12:00', to: '18:00' }];
    const sellers = [booking.addSeller(storeId), booking.addSeller(storeId, { hours: afternoon })];
    const service = await booking.service(storeId, {
      duration_minutes: 30,
      buffer_after_minutes: 0,
      seller_ids: sellers,
    });
    const book = (time: string) => booking.book(storeId, at(time), { service_id: service.id });
    expect(await book('11:30')).toMatchObject({ seller_id: sellers[0], duration_minutes: 30 });
    // One is open and taken, and the other is not open yet.
    expect(await outcomeOf(book('11:30'))).toBe('appointment_conflict');
    expect(await outcomeOf(booking.book(storeId, at('11:30'), { seller_id: sellers[1] ?? null }))).toBe(
      'outside_opening_hours',
    );
    expect(await book('12:00')).toMatchObject({ seller_id: sellers[0] });
    expect(await book('12:00')).toMatchObject({ seller_id: sellers[1] });
    expect(await outcomeOf(book('12:00'))).toBe('appointment_conflict');
    const stranger = booking.addSeller(storeId);
    expect(await outcomeOf(booking.book(storeId, at('13:00'), { service_id: service.id, seller_id: stranger }))).toBe(
      'seller_not_bookable',
    );
    const idle = booking.addSeller(storeId, { bookable: false });
    expect(await outcomeOf(booking.book(storeId, at('13:00'), { seller_id: idle }))).toBe('seller_not_bookable');
  });

  test.each(['allow', 'reject'] as const)(
    'with `overlap: %s` a service none of whose sellers is bookable is refused alike when it is asked for, held and booked',
    async (overlap) => {
      const storeId = await booking.store({ overlap });
      const seller_ids = [booking.addSeller(storeId, { bookable: false })];
      const { id: service_id } = await booking.service(storeId, { duration_minutes: 30, seller_ids });
      const range = { from: at('09:00'), to: at('18:00'), service_id };
      expect(await outcomeOf(booking.free(storeId, range))).toBe('seller_not_bookable');
      expect(await outcomeOf(booking.book(storeId, at('13:00'), { service_id }))).toBe('seller_not_bookable');
      if (overlap === 'allow') return;
      expect(await outcomeOf(booking.hold(storeId, at('13:00'), { service_id }))).toBe('seller_not_bookable');
    },
  );

  test.each(['allow', 'reject'] as const)(
    'with `outside_hours: allow` and `overlap: %s` the hours only bound what is offered and held',
    async (overlap) => {
      const hours = [{ weekday: 5, from: '09:00', to: '18:00' }];
      const storeId = await booking.store({ hours, overlap, outside_hours: 'allow' });
      const late = [{ weekday: 5, from: '12:00', to: '18:00' }];
      const sellers = [booking.addSeller(storeId), booking.addSeller(storeId, { hours: late })];
      const early = await booking.book(storeId, at('03:00'), { seller_id: sellers[1] ?? null });
      expect(early).toMatchObject({ seller_id: sellers[1] });
      expect(await outcomeOf(booking.change(storeId, early.id, { scheduled_at: at('19:30') }))).toBe('done');
      expect(await outcomeOf(booking.book(storeId, at('17:30')))).toBe('done');
      const night = { from: at('18:00'), to: at('23:59'), duration_minutes: 30 };
      expect(await booking.free(storeId, night)).toMatchObject({ data: [], reason: 'closed' });
      if (overlap === 'allow') return;
      expect(await outcomeOf(booking.book(storeId, at('17:30')))).toBe('appointment_conflict');
      expect(await outcomeOf(booking.hold(storeId, at('04:00')))).toBe('outside_opening_hours');
      // Who is open comes first, and a closed seller is booked only when none is open.
      const service = await booking.service(storeId, { duration_minutes: 30, seller_ids: sellers.toReversed() });
      const book = (time: string) => booking.book(storeId, at(time), { service_id: service.id });
      expect(await book('10:00')).toMatchObject({ seller_id: sellers[0] });
      expect(await outcomeOf(book('10:00'))).toBe('appointment_conflict');
      expect(await book('05:00')).toMatchObject({ seller_id: sellers[1] });
      expect(await book('05:00')).toMatchObject({ seller_id: sellers[0] });
      expect(await outcomeOf(book('05:00'))).toBe('appointment_conflict');
    },
  );

  test('no time outside the opening hours is booked, and a change of the zone moves the hours', async () => {
    const hours = [{ weekday: 5, from: '09:00', to: '18:00' }];
    const storeId = await booking.store({ hours });
    expect(await outcomeOf(booking.book(storeId, at('08:30')))).toBe('outside_opening_hours');
    expect(await outcomeOf(booking.book(storeId, at('17:30')))).toBe('outside_opening_hours');
    expect(await outcomeOf(booking.book(storeId, at('17:00')))).toBe('done');
    booking.world.timezone = 'America/Sao_Paulo';
    const changes = async () => (await booking.feed(storeId)).filter(({ type }) => type === 'booking.changed').length;
    const before = await changes();
    for (const _ of [1, 2]) await booking.rpc.call(replanFollowups, {}, testContext({ storeId }));
    expect(await changes()).toBe(before + 1);
    expect(await outcomeOf(booking.book(storeId, at('10:00')))).toBe('outside_opening_hours');
    expect(await outcomeOf(booking.book(storeId, at('20:00')))).toBe('done');
    booking.world.timezone = 'UTC';
  });

  test('two rows never have one place at one time, whatever the code does', async () => {
    const storeId = await booking.store();
    await booking.book(storeId, at('09:00'));
    const copying = booking.adminSql`
      insert into bookings (store_id, id, place, starts_at, ends_at, scheduled_at, duration_minutes)
      select store_id, uuidv7(), place, starts_at, ends_at, scheduled_at, duration_minutes
      from bookings where store_id = ${storeId}`;
    await expect(copying).rejects.toMatchObject({ code: '23P01' });
  });

  test('what the constraint refuses at the commit is a conflict, and fails no other booking', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const seller_id = booking.addSeller(storeId);
    // The place of the seller is taken by what does not say so.
    await booking.adminSql`
      insert into bookings (store_id, id, place, starts_at, ends_at, scheduled_at, duration_minutes)
      values (${storeId}, ${randomUUID()}, ${seller_id}, ${at('09:00')}, ${at('10:00')}, ${at('09:00')}, 60)`;
    const [refused, other] = await Promise.allSettled([
      booking.book(storeId, at('09:00'), { seller_id }),
      booking.book(storeId, at('12:00'), { seller_id }),
    ]);
    expect(refused).toMatchObject({ reason: { code: 'appointment_conflict' } });
    expect(other).toMatchObject({ value: { seller_id } });
  });

  test('what a booking answers is what is stored', async () => {
    const storeId = await booking.store();
    const { id: service_id } = await booking.service(storeId);
    const lead_id = booking.addLead(storeId);
    const booked = await booking.book(storeId, '2027-01-15T09:00:00.123Z', {
      ...{ service_id: service_id.toUpperCase(), lead_id },
      ...{ notes: 'Bring glasses', metadata: { order: '7', a: 'b' } },
    });
    const read = booking.rpc.call(getAppointment, { params: { appointmentId: booked.id } }, testContext({ storeId }));
    expect(booked).toEqual(await read);
  });
});

describe('holds', () => {
  test('block others, are renewed once, and become one appointment, which a repeated request gets again', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const hold = await booking.hold(storeId, at('09:00'));
    expect(hold).toMatchObject({ start: at('09:00'), duration_minutes: 60, seller_id: null, service_id: null });
    expect(Date.parse(hold.expires_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
    expect(await outcomeOf(booking.book(storeId, at('09:00')))).toBe('appointment_conflict');
    expect(await outcomeOf(booking.hold(storeId, at('09:30')))).toBe('appointment_conflict');
    const params = { holdId: hold.id };
    const renew = () => outcomeOf(booking.rpc.call(renewHold, { params }, testContext({ storeId })));
    expect([await renew(), await renew()]).toEqual(['done', 'hold_not_renewable']);
    const use = (idempotencyKey: string) =>
      booking.book(storeId, at('09:00'), { hold_id: hold.id }, { idempotencyKey });
    const [first, again] = [await use('k'), await use('k')];
    expect(again).toEqual(first);
    expect(await outcomeOf(use('other'))).toBe('hold_not_found');
    expect(await renew()).toBe('hold_not_found');
    expect(await booking.taken(storeId)).toMatchObject([{ id: first.id }]);
  });

  test('a time for which a person is asked is held for an hour, as other holds are, and once for an id', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const body = { start: at('09:00'), duration_minutes: 60, service_id: null, seller_id: null };
    const ask = (id: string) => booking.rpc.call(holdForDecision, { body: { ...body, id } }, testContext({ storeId }));
    const [id, other] = [randomUUID(), randomUUID()];
    const hold = await ask(id);
    expect(await ask(id)).toEqual(hold);
    expect(hold.id).toBe(id);
    const minutes = (Date.parse(hold.expires_at) - Date.now()) / 60_000;
    expect([minutes > 50, minutes <= decisionHoldMinutes]).toEqual([true, true]);
    expect([await outcomeOf(ask(other)), await outcomeOf(booking.book(storeId, at('09:30')))]).toEqual([
      ...['appointment_conflict', 'appointment_conflict'],
    ]);
    expect(await booking.book(storeId, at('09:00'), { hold_id: hold.id })).toMatchObject({ status: 'scheduled' });
  });

  test('an expired hold blocks nothing, and the purge deletes it', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const [one, other] = [await booking.hold(storeId, at('09:00')), await booking.hold(storeId, at('12:00'))];
    await booking.expire(one.id);
    await booking.expire(other.id);
    const { data } = await booking.free(storeId, { from: at('09:00'), to: at('09:30'), duration_minutes: 60 });
    expect(data).toHaveLength(1);
    expect(await outcomeOf(booking.book(storeId, at('09:00'), { hold_id: one.id }))).toBe('hold_not_found');
    expect(await outcomeOf(booking.book(storeId, at('09:00')))).toBe('done');
    const late = await booking.hold(storeId, at('15:00'));
    await booking.expire(late.id);
    await purgeHolds(booking.dependencies.systemDatabase);
    expect(
      await booking.adminSql`select id from bookings where store_id = ${storeId} and expires_at is not null`,
    ).toEqual([]);
  });

  test('a refused booking keeps its hold, a release frees it, and a hold moves an appointment', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const appointment = await booking.book(storeId, at('15:00'));
    const hold = await booking.hold(storeId, at('09:00'));
    expect(await outcomeOf(booking.book(storeId, at('15:00'), { hold_id: hold.id }))).toBe('validation_failed');
    expect(await booking.change(storeId, appointment.id, { hold_id: hold.id })).toMatchObject({
      scheduled_at: at('09:00'),
    });
    expect(await booking.taken(storeId)).toMatchObject([{ id: appointment.id }]);
    const second = await booking.hold(storeId, at('15:00'));
    const release = (store: string) =>
      outcomeOf(booking.rpc.call(releaseHold, { params: { holdId: second.id } }, testContext({ storeId: store })));
    expect([await release(randomUUID()), await release(storeId), await release(storeId)]).toEqual([
      ...['hold_not_found', 'done', 'hold_not_found'],
    ]);
    expect(await outcomeOf(booking.book(storeId, at('15:00')))).toBe('done');
  });

  test('a booking or a move that differs from its hold says what the hold has, and the hold stays usable', async () => {
    const storeId = await booking.store({ horizon_days: 730, capacity: 5 });
    const seller_ids = [booking.addSeller(storeId), booking.addSeller(storeId)];
    const [seller_id, other] = seller_ids as [string, string];
    const [{ id: service_id }, { id: another }] = [
      await booking.service(storeId, { seller_ids }),
      await booking.service(storeId, { seller_ids }),
    ];
    const hold = await booking.hold(storeId, at('09:00'), { service_id });
    expect(hold).toMatchObject({ seller_id, service_id });
    const appointment = await booking.book(storeId, at('15:00'));
    const wrong: [object, string, string][] = [
      [{ scheduled_at: at('10:00') }, '#/scheduled_at', `must be ${at('09:00')}, the start of the hold`],
      [{ duration_minutes: 30 }, '#/duration_minutes', 'must be 60, the duration of the hold'],
      [{ service_id: another }, '#/service_id', `must be ${service_id}, the service of the hold`],
      [{ service_id: null }, '#/service_id', `must be ${service_id}, the service of the hold`],
      [{ seller_id: other }, '#/seller_id', `must be ${seller_id}, the seller of the hold`],
      [{ seller_id: null }, '#/seller_id', `must be ${seller_id}, the seller of the hold`],
    ];
    for (const [body, pointer, detail] of wrong) {
      const refused = { code: 'validation_failed', members: { errors: [{ pointer, detail }] } };
      const named = { hold_id: hold.id, ...body };
      await expect(booking.book(storeId, at('09:00'), named)).rejects.toMatchObject(refused);
      await expect(booking.change(storeId, appointment.id, named)).rejects.toMatchObject(refused);
    }
    const ended = booking.change(storeId, appointment.id, { hold_id: hold.id, status: 'cancelled' });
    await expect(ended).rejects.toMatchObject({ members: { errors: [{ pointer: '#/hold_id' }] } });
    const same = { hold_id: hold.id, duration_minutes: 60, seller_id, service_id: service_id.toUpperCase() };
    expect(await booking.book(storeId, at('09:00'), same)).toMatchObject({ seller_id, service_id });
  });

  test('a hold of the store’s place is for no seller, and one without a service for any that takes its place', async () => {
    const storeId = await booking.store({ horizon_days: 730, capacity: 5 });
    const seller_id = booking.addSeller(storeId);
    const [{ id: without }, { id: given }] = [
      await booking.service(storeId),
      await booking.service(storeId, { seller_ids: [seller_id] }),
    ];
    const { id: hold_id } = await booking.hold(storeId, at('09:00'));
    for (const [body, pointer] of [
      [{ seller_id }, '#/seller_id'],
      [{ service_id: given }, '#/service_id'],
    ] as const) {
      const refused = { code: 'validation_failed', members: { errors: [{ pointer }] } };
      await expect(booking.book(storeId, at('09:00'), { hold_id, ...body })).rejects.toMatchObject(refused);
    }
    const booked = await booking.book(storeId, at('09:00'), { hold_id, service_id: without });
    expect(booked).toMatchObject({ service_id: without, seller_id: null });
    const { id: ofSeller } = await booking.hold(storeId, at('09:00'), { seller_id });
    const moved = await booking.change(storeId, booked.id, { hold_id: ofSeller, service_id: given });
    expect(moved).toMatchObject({ seller_id, service_id: given });
  });

  test('a hold can be used after the capacity fell or the buffers grew, and then counts with the rules as they are', async () => {
    const storeId = await booking.store({ horizon_days: 730, capacity: 2 });
    const seller_id = booking.addSeller(storeId);
    for (const names of [{}, { seller_id }]) await booking.book(storeId, at('09:00'), names);
    await booking.book(storeId, at('10:00'));
    const held = [await booking.hold(storeId, at('10:00')), await booking.hold(storeId, at('10:00'), { seller_id })];
    await booking.rules(storeId, { horizon_days: 730, capacity: 1, buffer_before_minutes: 30 });
    for (const { id: hold_id } of held) {
      expect(await outcomeOf(booking.book(storeId, at('10:00'), { hold_id }))).toBe('done');
    }
    const taken = (await booking.taken(storeId)).filter(({ starts_at }) => +starts_at === Date.parse(at('09:30')));
    expect(taken).toHaveLength(3);
    expect(await outcomeOf(booking.book(storeId, at('11:00')))).toBe('appointment_conflict');
    expect(await outcomeOf(booking.book(storeId, at('11:30')))).toBe('done');
  });

  test.each(['reject', 'allow'] as const)(
    'with `overlap: %s` by then, a hold can be used for a booking and a move, whatever became of its seller and its service',
    async (overlap) => {
      const storeId = await booking.store({ horizon_days: 730 });
      const { rpc } = booking;
      const params = (service: { id: string }) => ({ serviceId: service.id });
      const changes: Record<string, (seller: string, service: { id: string }) => unknown> = {
        inactive: (seller) => booking.setSeller(seller, { is_active: false }),
        'not bookable': (seller) => booking.setSeller(seller, { bookable: false }),
        deleted: (seller) => booking.removeSeller(seller),
        'without hours': (seller) => booking.setSeller(seller, { hours: [] }),
        'a service that ended': (_, service) =>
          rpc.call(updateService, { params: params(service), body: { is_active: false } }, testContext({ storeId })),
        'a service that was deleted': (_, service) =>
          rpc.call(deleteService, { params: params(service) }, testContext({ storeId })),
        'a service of others': (_, service) =>
          rpc.call(
            updateService,
            { params: params(service), body: { seller_ids: [booking.addSeller(storeId)] } },
            testContext({ storeId }),
          ),
      };
      const held = [];
      for (const change of Object.values(changes)) {
        const seller_id = booking.addSeller(storeId);
        const service = await booking.service(storeId, { seller_ids: [seller_id] });
        const hold = (time: string) => booking.hold(storeId, at(time), { service_id: service.id });
        const [{ id: moving }, [booked, moved]] = [
          await booking.book(storeId, at('20:00'), { service_id: service.id }),
          [await hold('09:00'), await hold('11:00')],
        ];
        await change(seller_id, service);
        held.push({ seller_id, service_id: service.id, moving, booked, moved });
      }
      const plain = await booking.service(storeId);
      const store = await booking.hold(storeId, at('09:00'), { service_id: plain.id });
      await changes['a service of others']?.('', plain);
      await booking.rules(storeId, { overlap, horizon_days: 730 });
      for (const { seller_id, service_id, moving, booked, moved } of held) {
        const shown = { seller_id, service_id };
        expect(await booking.book(storeId, at('09:00'), { hold_id: booked.id })).toMatchObject(shown);
        expect(await booking.change(storeId, moving, { hold_id: moved.id, seller_id })).toMatchObject({
          ...shown,
          scheduled_at: at('11:00'),
        });
      }
      const booked = await booking.book(storeId, at('09:00'), { hold_id: store.id });
      expect(booked).toMatchObject({ seller_id: null, service_id: plain.id });
    },
  );

  test('a hold of a seller is none for a service that they do not give', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const [seller_id, other] = [booking.addSeller(storeId), booking.addSeller(storeId)];
    const { id: service_id } = await booking.service(storeId, { seller_ids: [other] });
    const appointment = await booking.book(storeId, at('20:00'), { service_id });
    const { id: hold_id } = await booking.hold(storeId, at('09:00'), { seller_id });
    const taken = [
      booking.book(storeId, at('09:00'), { hold_id, service_id }),
      booking.change(storeId, appointment.id, { hold_id }),
    ];
    expect(await Promise.all(taken.map(outcomeOf))).toEqual(['seller_not_bookable', 'seller_not_bookable']);
  });

  test('a hold can be used once after the store allows overlaps, also outside the hours that it has by then', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const seller_id = booking.addSeller(storeId);
    const [first, second] = [
      await booking.hold(storeId, at('09:00'), { seller_id }),
      await booking.hold(storeId, at('09:00')),
    ];
    await booking.rules(storeId, { overlap: 'allow', hours: [] });
    const use = (hold_id: string) => booking.book(storeId, at('09:00'), { hold_id });
    const [one, other] = await Promise.all([use(first.id), use(first.id)].map(outcomeOf));
    expect([one, other].toSorted()).toEqual(['done', 'hold_not_found']);
    const elsewhere = booking.book(storeId, at('12:00'), { hold_id: second.id });
    expect(await outcomeOf(elsewhere)).toBe('validation_failed');
    expect(await use(second.id)).toMatchObject({ seller_id: null });
    expect(await booking.taken(storeId)).toEqual([]);
    expect(await outcomeOf(booking.book(storeId, at('09:00')))).toBe('outside_opening_hours');
  });

  test('a service that needs more time than its hold has gets it only where it is free', async () => {
    const storeId = await booking.store({ horizon_days: 730 });
    const [long, short] = [
      await booking.service(storeId, { buffer_after_minutes: 30 }),
      await booking.service(storeId),
    ];
    await booking.book(storeId, at('10:00'));
    const { id: hold_id } = await booking.hold(storeId, at('09:00'));
    const use = (service_id: string) => outcomeOf(booking.book(storeId, at('09:00'), { hold_id, service_id }));
    expect([await use(long.id), await use(short.id)]).toEqual(['appointment_conflict', 'done']);
  });

  test('a hold must be within the notice and the horizon, and in the opening hours', async () => {
    const storeId = await booking.store({ minimum_notice_minutes: 120, horizon_days: 2 });
    const inMinutes = (minutes: number) => outcomeOf(booking.hold(storeId, later(new Date().toISOString(), minutes)));
    expect(await inMinutes(60)).toBe('outside_booking_window');
    expect(await inMinutes(3 * 1440)).toBe('outside_booking_window');
    expect(await inMinutes(180)).toBe('done');
    await booking.rules(storeId, { hours: [] });
    expect(await inMinutes(600)).toBe('outside_opening_hours');
  });
});

describe('availability', () => {
  const from = at('00:00');
  const to = at('00:00', '2027-01-16');

  test('what is offered can be booked, and what is not offered cannot', async () => {
    const hours = [
      { weekday: 5, from: '09:00', to: '12:00' },
      { weekday: 5, from: '13:00', to: '16:00' },
    ];
    const storeId = await booking.store({ hours, capacity: 2, slot_step_minutes: 30, buffer_before_minutes: 15 });
    for (const time of ['09:30', '09:30', '14:00', '14:15']) await booking.book(storeId, at(time));
    const { data, timezone, reason, next_from } = await booking.free(storeId, { from, to, duration_minutes: 60 });
    expect({ timezone, reason, next_from }).toEqual({ timezone: 'UTC', reason: null, next_from: null });
    const offered = data.map(({ start }) => start);
    expect(data[0]).toEqual({ start: offered[0], end: later(offered[0] as string, 60), seller_id: null });
    for (const time of ['09:00', '09:30', '10:00', '10:30', '11:00', '13:00', '13:30', '14:30', '15:00', '15:30']) {
      const outcome = await outcomeOf(
        booking.book(storeId, at(time)).then(({ id }) => booking.change(storeId, id, { status: 'cancelled' })),
      );
      expect([time, outcome === 'done']).toEqual([time, offered.includes(at(time))]);
    }
  });

  test('of a service each seller who is free is offered', async () => {
    const storeId = await booking.store({ hours: [{ weekday: 5, from: '09:00', to: '11:00' }], slot_step_minutes: 60 });
    const [ana, rui] = [booking.addSeller(storeId), booking.addSeller(storeId)];
    const service = await booking.service(storeId, { seller_ids: [ana, rui] });
    await booking.book(storeId, at('09:00'), { seller_id: ana });
    const ask = async (query: object) =>
      (await booking.free(storeId, { from, to, service_id: service.id, ...query })).data.map(({ start, seller_id }) => [
        start.slice(11, 16),
        seller_id,
      ]);
    expect(new Set(await ask({}))).toEqual(
      new Set([
        ['09:00', rui],
        ['10:00', ana],
        ['10:00', rui],
      ]),
    );
    expect(await ask({ seller_id: ana })).toEqual([['10:00', ana]]);
  });

  test('when nothing is free, the answer says why', async () => {
    const hours = [{ weekday: 5, from: '09:00', to: '10:00' }];
    const storeId = await booking.store({ hours });
    const why = async (query: Partial<Parameters<TestBooking['free']>[1]> = {}) =>
      (await booking.free(storeId, { from, to, duration_minutes: 60, ...query })).reason;
    expect(await why()).toBeNull();
    expect(await why({ duration_minutes: 90 })).toBe('closed');
    expect(await why({ from: at('10:00') })).toBe('closed');
    expect(await why({ from: '2020-01-17T00:00:00Z', to: '2020-01-18T00:00:00Z' })).toBe('too_soon');
    const soon = { from: new Date(Date.now() + 60_000).toISOString(), to: later(new Date().toISOString(), 90) };
    await booking.rules(storeId, { slot_step_minutes: 5, minimum_notice_minutes: 120 });
    expect(await why({ ...soon, duration_minutes: 5 })).toBe('too_soon');
    await booking.rules(storeId, { hours });
    await booking.book(storeId, at('09:00'));
    expect(await why()).toBe('full');
    await booking.rules(storeId, { hours, horizon_days: 1 });
    expect(await why()).toBe('too_far');
    expect(await why({ from: '9999-12-24T00:00:00Z', to: '9999-12-31T23:59:59Z' })).toBe('too_far');
  });

  test('a long answer is cut, and goes on at `next_from` without a gap', async () => {
    const storeId = await booking.store({ slot_step_minutes: 5 });
    const range = { from, to, duration_minutes: 30 };
    expect((await booking.free(storeId, range)).data).toHaveLength(288);
    const seller_ids = [booking.addSeller(storeId), booking.addSeller(storeId)];
    const service = await booking.service(storeId, { duration_minutes: 30, seller_ids });
    const all: string[] = [];
    const lengths: number[] = [];
    for (let next: string | null = from; next; ) {
      const page = await booking.free(storeId, { from: next, to, service_id: service.id });
      all.push(...page.data.map(({ start, seller_id }) => `${start} ${seller_id}`));
      lengths.push(page.data.length);
      next = page.next_from;
    }
    expect(lengths).toEqual([500, 76]);
    expect(new Set(all).size).toBe(2 * 288);
  });

  test('a time that a clock change skips is not offered, and one that it repeats is offered once', async () => {
    booking.world.timezone = 'Europe/Berlin';
    const storeId = await booking.store({ hours: [{ weekday: 7, from: '01:30', to: '04:00' }] });
    booking.world.timezone = 'UTC';
    const on = async (date: string) =>
      (
        await booking.free(storeId, {
          ...{ from: at('00:00', date).replace('Z', '+00:00'), to: at('12:00', date), duration_minutes: 30 },
        })
      ).data.map(({ start }) => start.slice(11, 16));
    expect(await on('2027-03-28')).toEqual(['00:30', '01:00', '01:30']);
    expect(await on('2027-10-31')).toEqual(['00:00', '00:30', '02:00', '02:30']);
  });

  test('an appointment that is to move does not stand in its own way, and may have a service that is not active any more', async () => {
    const storeId = await booking.store({ hours: [{ weekday: 5, from: '09:00', to: '12:00' }] });
    const service = await booking.service(storeId);
    const { id } = await booking.book(storeId, at('10:00'), { service_id: service.id });
    await booking.rpc.call(
      updateService,
      { params: { serviceId: service.id }, body: { is_active: false } },
      testContext({ storeId }),
    );
    const ask = async (query: Partial<Parameters<TestBooking['free']>[1]>) =>
      (await booking.free(storeId, { from, to, duration_minutes: 60, ...query })).data.map(({ start }) =>
        start.slice(11, 16),
      );
    expect(await ask({})).toEqual(['09:00', '11:00']);
    const open = ['09:00', '09:30', '10:00', '10:30', '11:00'];
    expect(await ask({ appointment_id: id, service_id: service.id.toUpperCase() })).toEqual(open);
    await booking.change(storeId, id, { scheduled_at: at('10:30') });
    await expect(ask({ appointment_id: randomUUID() })).rejects.toMatchObject({ code: 'appointment_not_found' });
    await expect(ask({ service_id: service.id })).rejects.toMatchObject({ code: 'service_inactive' });
    const stranger = await booking.book(await booking.store(), at('09:00'));
    await expect(ask({ appointment_id: stranger.id })).rejects.toMatchObject({ code: 'appointment_not_found' });
  });

  test.each([
    ['no duration', { from, to }],
    ['a range that ends before it begins', { from: to, to: from, duration_minutes: 60 }],
    ['more than a year', { from, to: '2028-02-01T00:00:00Z', duration_minutes: 60 }],
  ])('%s is rejected', async (_, query) => {
    await expect(booking.free(await booking.store(), query)).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

type Act =
  | { kind: 'book' | 'hold'; start: number; length: number; seller: boolean }
  | { kind: 'move' | 'move in the calendar'; which: number; start: number; length: number }
  | { kind: 'set rules'; capacity: number; before: number; after: number }
  | { kind: 'be busy'; start: number; length: number }
  | { kind: 'cancel' | 'delete in the calendar' | 'expire' | 'use'; which: number };

/** Connects a calendar that no server has. The functions do what a look at it does. */
async function connect(storeId: string) {
  const connectionId = randomUUID();
  const { adminSql } = booking;
  await adminSql`
    insert into calendar_connections (store_id, id, provider, settings, sealed_credentials)
    values (${storeId}, ${connectionId}, 'caldav', '{}', 'none')`;
  await adminSql`insert into calendar_watches (store_id, connection_id) values (${storeId}, ${connectionId})`;
  return {
    /** Finds the event of an appointment as it is there, after that was last written. */
    async see(appointmentId: string, seen: SeenEvent): Promise<void> {
      await adminSql`
        update calendar_syncs s set state = 'synced', next_attempt_at = null, synced_version = a.version,
          synced_at = now() - interval '1 second'
        from appointments a where a.id = s.appointment_id and a.id = ${appointmentId}`;
      const event = { connectionId, appointmentId, seen, readAt: new Date() };
      expect(await settleEvent(booking.dependencies, testContext({ storeId }), event)).toBe('settled');
    },
    async beBusy(from: string, until: string): Promise<void> {
      const href = `/${randomUUID()}.ics`;
      await adminSql`
        insert into calendar_objects (store_id, connection_id, href) values (${storeId}, ${connectionId}, ${href})`;
      await adminSql`
        insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
        values (${storeId}, ${connectionId}, ${href}, ${from}, ${until})`;
    },
  };
}

test('no schedule of creations, moves, cancellations, holds, expiries and changes in the calendar or of the rules exceeds a place, and none is refused without need', async () => {
  const start = fc.integer({ min: 0, max: 20 });
  const length = fc.integer({ min: 1, max: 8 });
  const which = fc.nat(30);
  const places = fc.integer({ min: 1, max: 3 });
  const buffer = fc.integer({ min: 0, max: 2 });
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ kind: fc.constantFrom('book' as const, 'hold' as const), start, length, seller: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('move' as const, 'move in the calendar' as const), which, start, length }),
    fc.record({
      kind: fc.constantFrom(...(['cancel', 'delete in the calendar', 'expire', 'use'] as const)),
      which,
    }),
    fc.record({ kind: fc.constant('be busy' as const), start, length }),
    fc.record({ kind: fc.constant('set rules' as const), capacity: places, before: buffer, after: buffer }),
  );
  const timeOf = (quarters: number) => later(at('09:00'), quarters * 15);
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 8, maxLength: 30 }),
      fc.record({ capacity: places, before: buffer, after: buffer }),
      async (acts, first) => {
        let rules = first;
        const rulesNow = () => ({
          ...{ capacity: rules.capacity, horizon_days: 730, slot_step_minutes: 15 },
          ...{ buffer_before_minutes: rules.before * 15, buffer_after_minutes: rules.after * 15 },
        });
        const storeId = await booking.store(rulesNow());
        const seller_id = booking.addSeller(storeId);
        const calendar = await connect(storeId);
        const busy: { start: number; end: number }[] = [];
        type Time = { start: number; end: number };
        /** `held`: what a hold takes, whatever the rules are later. */
        type Kept = Time & { id: string; seller: boolean; held: Time | null };
        let kept: Kept[] = [];
        const buffered = ({ start, end }: Time): Time => ({ start: start - rules.before, end: end + rules.after });
        const takenBy = (each: Kept) => each.held ?? buffered(each);
        const fits = ({ seller, ...time }: Time & { seller: boolean }, except?: Kept) => {
          const others = kept.filter((each) => each !== except && each.seller === seller);
          const rivals = [...others.map(takenBy), ...busy];
          const { start: first, end } = buffered(time);
          return Array.from({ length: end - first }, (_, index) => first + index).every(
            (moment) =>
              rivals.filter((each) => each.start <= moment && moment < each.end).length < (seller ? 1 : rules.capacity),
          );
        };
        /** What is free of the starts from the first one. */
        const freeStarts = (
          { seller, quarters, except }: { seller: boolean; quarters: number; except?: Kept | undefined },
          { first, count }: { first: number; count: number },
        ) =>
          Array.from({ length: count }, (_, index) => first + index)
            .filter((start) => fits({ start, end: start + quarters, seller }, except))
            .map(timeOf);
        for (const one of acts) {
          if (one.kind === 'be busy') {
            // What is booked by then stays.
            const span = { start: one.start, end: one.start + one.length };
            await calendar.beBusy(timeOf(span.start), timeOf(span.end));
            busy.push(span);
            continue;
          }
          if (one.kind === 'set rules') {
            rules = one;
            await booking.rules(storeId, rulesNow());
            continue;
          }
          if ('seller' in one) {
            const wanted = { start: one.start, end: one.start + one.length, seller: one.seller };
            const body = { duration_minutes: one.length * 15, seller_id: one.seller ? seller_id : null };
            const attempt = (one.kind === 'book' ? booking.book : booking.hold)(storeId, timeOf(one.start), body);
            const made = await attempt.catch((error: AppError) => {
              expect(error.code).toBe('appointment_conflict');
            });
            expect(Boolean(made), JSON.stringify({ one, kept })).toBe(fits(wanted));
            if (made) kept.push({ ...wanted, id: made.id, held: one.kind === 'hold' ? buffered(wanted) : null });
            continue;
          }
          const some = kept.filter(({ held }) => (held !== null) === (one.kind === 'expire' || one.kind === 'use'));
          const chosen = some[one.which % Math.max(1, some.length)];
          if (!chosen) continue;
          if (one.kind === 'move') {
            const wanted = { ...chosen, start: one.start, end: one.start + one.length };
            const to = { scheduled_at: timeOf(one.start), duration_minutes: one.length * 15 };
            const refused = await refusal(booking.change(storeId, chosen.id, to));
            // What stays where it is needs no place.
            const stays = wanted.start === chosen.start && wanted.end === chosen.end;
            expect(refused === undefined, JSON.stringify({ one, kept })).toBe(stays || fits(wanted, chosen));
            if (refused) {
              const about = { seller: chosen.seller, quarters: one.length, except: chosen };
              const alternatives = freeStarts(about, { first: one.start, count: 200 }).slice(0, 5);
              const expected = { code: 'appointment_conflict', members: { alternatives } };
              expect(refused, JSON.stringify({ one, kept })).toMatchObject(expected);
            } else kept = kept.map((each) => (each === chosen ? wanted : each));
          } else if (one.kind === 'move in the calendar') {
            const wanted = { ...chosen, start: one.start, end: one.start + one.length };
            const seen = { start: Date.parse(timeOf(one.start)), durationMinutes: one.length * 15 };
            await calendar.see(chosen.id, seen);
            if (fits(wanted, chosen)) kept = kept.map((each) => (each === chosen ? wanted : each));
          } else if (one.kind === 'delete in the calendar') {
            await calendar.see(chosen.id, 'gone');
            kept = kept.filter((each) => each !== chosen);
          } else if (one.kind === 'use') {
            const { id } = await booking.book(storeId, timeOf(chosen.start), { hold_id: chosen.id });
            kept = kept.map((each) => (each === chosen ? { ...chosen, id, held: null } : each));
          } else {
            if (one.kind === 'expire') await booking.expire(chosen.id);
            else await booking.change(storeId, chosen.id, { status: 'cancelled' });
            kept = kept.filter((each) => each !== chosen);
          }
        }
        const moving = kept.find(({ held }) => !held);
        const searches = [
          { seller: false },
          { seller: true },
          ...(moving ? [{ seller: moving.seller, except: moving }] : []),
        ];
        for (const { seller, except } of searches as { seller: boolean; except?: Kept }[]) {
          for (const quarters of [1, 5]) {
            const { data } = await booking.free(storeId, {
              ...{ from: timeOf(0), to: timeOf(21), duration_minutes: quarters * 15 },
              ...(seller && { seller_id }),
              ...(except && { appointment_id: except.id }),
            });
            const offered = data.map(({ start }) => start);
            const free = freeStarts({ seller, quarters, except }, { first: 0, count: 21 });
            expect(offered, JSON.stringify({ kept, busy, seller, except })).toEqual(free);
          }
        }
        const taken = await booking.taken(storeId);
        const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
        expect(taken.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at })).toSorted(byId)).toEqual(
          kept
            .map((each) => ({ id: each.id, ...takenBy(each) }))
            .map(({ id, start, end }) => ({ id, starts_at: new Date(timeOf(start)), ends_at: new Date(timeOf(end)) }))
            .toSorted(byId),
        );
        if (acts.some(({ kind }) => kind === 'set rules')) return;
        const isBeyond = ({ place }: { place: string }) => Number(place.slice(-4)) > rules.capacity;
        expect(taken.filter((each) => each.seller_id === null && isBeyond(each))).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
