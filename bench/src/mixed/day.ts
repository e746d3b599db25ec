import type { MixedKind } from '../shared/load/open-load.ts';

const api = '/integrations/v1';

/** The requests of a store's day, in percent: 80 reads, 10 updates, 5 appointments, 5 messages. */
export const day: readonly MixedKind[] = [
  { name: 'GET /leads/{id}', share: 30, method: 'GET', path: `${api}/leads/{lead}` },
  { name: 'GET /leads', share: 15, method: 'GET', path: `${api}/leads?limit=20` },
  { name: 'GET /leads/{id}/messages', share: 15, method: 'GET', path: `${api}/leads/{lead}/messages?limit=20` },
  { name: 'GET /appointments', share: 10, method: 'GET', path: `${api}/appointments?limit=20` },
  { name: 'GET /leads/{id}/sessions', share: 10, method: 'GET', path: `${api}/leads/{lead}/sessions` },
  {
    name: 'PATCH /leads/{id}',
    share: 10,
    method: 'PATCH',
    path: `${api}/leads/{lead}`,
    bodies: ['in_progress', 'pending', 'lost', 'converted'].map((status) => JSON.stringify({ status })),
  },
  {
    name: 'POST /appointments',
    share: 5,
    method: 'POST',
    path: `${api}/appointments`,
    bodies: [JSON.stringify({ title: 'Eye test', scheduled_at: '2031-05-20T14:30:00-03:00' })],
  },
  {
    name: 'POST /leads/{id}/messages',
    share: 5,
    method: 'POST',
    path: `${api}/leads/{lead}/messages`,
    bodies: [JSON.stringify({ message: 'Your order is ready to be picked up.' })],
  },
];
