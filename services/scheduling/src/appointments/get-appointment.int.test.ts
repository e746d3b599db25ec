import { randomUUID } from 'node:crypto';
import { getAppointment } from '@mostrador/contracts';
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
