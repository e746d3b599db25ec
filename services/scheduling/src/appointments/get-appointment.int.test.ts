import { randomUUID } from 'node:crypto';
import { getAppointment, getAppointmentInvitation, readCalendarFeed, updateAppointment } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

const get = async (storeId: string, appointmentId: string) => {
  const { rpc } = scheduling;
  const { body, headers } = await rpc.forward(getAppointment, { params: { appointmentId } }, testContext({ storeId }));
  return { appointment: JSON.parse(Buffer.from(body).toString()), headers };
};

test('the response equals that of the creation and carries the version', async () => {
  const storeId = randomUUID();
  const created = await scheduling.create(storeId);
  expect(await get(storeId, created.id)).toMatchObject({ appointment: created, headers: { etag: '"v1"' } });
  expect((await get(storeId, created.id.toUpperCase())).appointment).toEqual(created);
});

test('an unknown id and an appointment of another store are not found', async () => {
  const created = await scheduling.create(randomUUID());
  const notFound = expect.objectContaining({ code: 'appointment_not_found' });
  await expect(get(randomUUID(), created.id)).rejects.toThrow(notFound);
  await expect(get(created.store_id, randomUUID())).rejects.toThrow(notFound);
});

test('an id that is not a UUID is rejected', async () => {
  await expect(get(randomUUID(), 'x')).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [expect.objectContaining({ in: 'path', name: 'appointmentId' })] },
  });
});

test('the invitation follows the appointment, and only its store has it', async () => {
  const { id, store_id: storeId } = await scheduling.create(randomUUID(), { title: 'Eye test' });
  const invitation = (store = storeId) =>
    scheduling.rpc.call(getAppointmentInvitation, { params: { appointmentId: id } }, testContext({ storeId: store }));
  const change = (body: object) =>
    scheduling.rpc.call(updateAppointment, { params: { appointmentId: id }, body }, testContext({ storeId }));
  const { content, url, ...file } = await invitation();
  expect(file).toEqual({ file_name: 'appointment.ics', mime_type: 'text/calendar; charset=utf-8; method=PUBLISH' });
  for (const line of [`UID:${id}@mostrador`, 'SEQUENCE:0', 'SUMMARY:Eye test', 'STATUS:CONFIRMED']) {
    expect(content.split('\r\n')).toContain(line);
  }
  // Like the gateway, this request names no store.
  const { storeId: _none, ...context } = testContext();
  const token = /\/calendars\/([^/]+)\.ics$/.exec(url)?.[1] ?? '';
  const linked = async () => (await scheduling.rpc.call(readCalendarFeed, { body: { token } }, context)).icalendar;
  expect(await linked()).toBe(content);
  await change({ scheduled_at: '2027-02-01T10:00:00Z' });
  await change({ status: 'cancelled' });
  const cancelled = await invitation();
  expect([cancelled.url, await linked()]).toEqual([url, cancelled.content]);
  expect(cancelled.mime_type).toBe('text/calendar; charset=utf-8; method=CANCEL');
  const lines = cancelled.content.split('\r\n');
  for (const line of [`UID:${id}@mostrador`, 'SEQUENCE:2', 'METHOD:CANCEL', 'STATUS:CANCELLED']) {
    expect(lines).toContain(line);
  }
  const forged = scheduling.rpc.call(readCalendarFeed, { body: { token: `${token.slice(1)}A` } }, context);
  await expect(forged).rejects.toMatchObject({ code: 'calendar_feed_not_found' });
  await scheduling.adminSql`
    update appointments set scheduled_at = now() - interval '31 days' where id = ${id}`;
  await expect(linked()).rejects.toMatchObject({ code: 'calendar_feed_not_found' });
  await expect(invitation(randomUUID())).rejects.toMatchObject({ code: 'appointment_not_found' });
  // A restore may count versions again, and no later file may have a lower SEQUENCE.
  await scheduling.adminSql`insert into restore_fence (since, fenced_at) values (now(), '2026-01-01T10:00:00Z')`;
  expect((await invitation()).content).toContain('\r\nSEQUENCE:602\r\n');
  await scheduling.adminSql`delete from restore_fence`;
});
