import { createAppointment, listAppointments } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { get, post, route } from '../routes/route.ts';
import { requestReader } from './read-request.ts';

const raw = { params: {}, query: {}, body: undefined, headers: {}, rawHeaders: [] };

test('the gateway forwards no defaults, because a service one version older may not know them', () => {
  const create = requestReader(
    route(post('/appointments'), createAppointment, { scope: 'appointments:write', tag: 'A' }),
  );
  const body = { title: ' Corte ', scheduled_at: '2027-01-31T06:00:00-03:00' };
  expect(create({ ...raw, body: { ...body } }).parts).toEqual({ body });
  const list = requestReader(route(get('/appointments'), listAppointments, { scope: 'appointments:read', tag: 'A' }));
  expect(list({ ...raw, query: { page: '2' } }).parts).toEqual({ query: { page: 2 } });
});
