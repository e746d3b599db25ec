import { expect, test } from 'vitest';
import { admin, eventually, type Json, newStore, request } from './platform.ts';

test('the totals of every list stay exact while rows come, move and go, and the admin command verifies them', async () => {
  const store = await newStore();
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await request(method, path, { key: store.key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const total = async (path: string): Promise<number> => (await call('GET', path)).total;
  const leadLists = (sellerId: string) => [
    ...['/leads', '/leads?status=lost', '/leads?seller_id=none', `/leads?seller_id=${sellerId}`],
    ...[`/leads?seller_id=${sellerId}&status=pending,lost`, '/leads?sort=updated_at'],
  ];
  const { id: seller_id } = await call('POST', '/sellers', { name: 'Ana', whatsapp_id: '5511977771000' });
  const otherLists = [
    '/sellers',
    '/appointments',
    '/appointments?status=scheduled',
    '/followups/scheduled?status=pending',
  ];
  // The first lists count rows. Then the services build the totals.
  for (const path of [...leadLists(seller_id), ...otherLists]) await total(path);
  const built = async () =>
    (await admin(['list-total', 'verify', '--store', store.id])).services as { service: string; wrong: unknown[] }[];
  expect((await built()).flatMap(({ wrong }) => wrong)).toEqual([]);

  const leads: Json[] = [];
  for (let n = 1; n <= 6; n += 1) {
    const lead = { name: 'Bia', customer_phone: `551197777100${n}`, ...(n > 2 ? { seller_id } : {}) };
    leads.push(await call('POST', '/leads', lead));
    await call('PATCH', `/leads/${leads[0]?.id}`, { status: n % 2 === 0 ? 'lost' : 'pending' });
  }
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await call('POST', '/appointments', { title: 'Eye test', scheduled_at });
  await call('POST', '/appointments', { title: 'Eye test', scheduled_at });
  await call('PATCH', `/appointments/${id}`, { status: 'cancelled' });
  const planned = { lead_id: leads[1]?.id, message: 'Still there?', due_at: scheduled_at };
  const followup = await call('POST', '/followups/scheduled', planned);
  await call('DELETE', `/followups/scheduled/${followup.id}`);

  const totals = async (paths: readonly string[]) => {
    const found: number[] = [];
    for (const path of paths) found.push(await total(path));
    return found;
  };
  expect(await totals(leadLists(seller_id).slice(0, 5))).toEqual([6, 1, 2, 4, 4]);
  await eventually(
    () => total('/leads?sort=updated_at'),
    (settled) => settled === 6,
  );
  expect(await totals(otherLists)).toEqual([1, 2, 1, 0]);
  await call('DELETE', `/sellers/${seller_id}`);
  expect(await totals(['/leads', '/leads?seller_id=none', `/leads?seller_id=${seller_id}`, '/sellers'])).toEqual([
    6, 6, 0, 0,
  ]);

  const { services } = await admin(['list-total', 'rebuild', '--store', store.id]);
  expect(services).toEqual(['crm', 'scheduling', 'messaging', 'events'].map((service) => ({ service, stores: 1 })));
  expect((await built()).flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(await totals(['/leads', '/leads?status=lost', '/sellers'])).toEqual([6, 1, 0]);
});
