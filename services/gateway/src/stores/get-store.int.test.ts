import { getCalendarConnection, getChannelConnection } from '@mostrador/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

test('GET /store combines the answers of the other services, and gets 503 while one of them is down', async () => {
  const { store, apiKey } = await gateway.newStore({ timezone: 'America/Sao_Paulo' });
  const ask = () => gateway.app.inject({ url: '/integrations/v1/store', headers: { 'x-api-key': apiKey } });
  expect((await ask()).statusCode).toBe(503);

  const sending_windows = [{ weekdays: ['monday' as const], from: '09:00', to: '18:00' }];
  const askedFor: string[] = [];
  await gateway.serve(
    'scheduling',
    { getCalendarConnection },
    {
      getCalendarConnection: async ({ storeId }) => {
        askedFor.push(storeId);
        return { provider: 'feed', status: 'connected', sending_windows };
      },
    },
  );
  expect((await ask()).statusCode).toBe(503);
  await gateway.serve(
    'messaging',
    { getChannelConnection },
    {
      getChannelConnection: async ({ storeId }) => {
        askedFor.push(storeId);
        return { provider: null, status: 'not_connected', phone: null, opt_out_stops_api: true };
      },
    },
  );
  const answer = await ask();
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    ...store,
    country: 'BR',
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    calendar: { provider: 'feed', status: 'connected' },
    channel: { provider: null, status: 'not_connected', phone: null },
    opt_out_stops_api: true,
    sending_windows,
  });
  expect(new Set(askedFor)).toEqual(new Set([store.id]));
});
