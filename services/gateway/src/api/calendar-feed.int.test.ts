import { readCalendarFeed } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
let icalendar = 'BEGIN:VCALENDAR\r\nSUMMARY:Ação\r\nEND:VCALENDAR\r\n';

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'scheduling',
    { readCalendarFeed },
    {
      readCalendarFeed: async (_context, { body }) => {
        if (body.token !== 'Secret-token_1') throw new AppError('calendar_feed_not_found');
        return { icalendar };
      },
    },
  );
});
afterAll(() => gateway?.stop());

const url = '/calendars/Secret-token_1.ics';

test('a calendar program reads the feed without a key', async () => {
  const answer = await gateway.app.inject({ url });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe(icalendar);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': expect.stringContaining('private'),
    etag: expect.stringMatching(/^"[\w-]+"$/),
  });
});

test('an unchanged feed gets 304', async () => {
  const { headers } = await gateway.app.inject({ url });
  const again = await gateway.app.inject({ url, headers: { 'if-none-match': `W/${headers.etag}` } });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
  icalendar = icalendar.replace('Ação', 'Corte');
  const changed = await gateway.app.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
  expect(changed.statusCode).toBe(200);
  expect(changed.headers.etag).not.toBe(headers.etag);
});

test('HEAD gets the headers without the body', async () => {
  const answer = await gateway.app.inject({ url, method: 'HEAD' });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe('');
});

test.each([
  '/calendars/other.ics',
  '/calendars/.ics',
  '/calendars/Secret-token_1',
  `/calendars/${'t'.repeat(500)}.ics`,
])('%s gets 404', async (path) => {
  const answer = await gateway.app.inject({ url: path });
  expect(answer.statusCode).toBe(404);
  expect(answer.json().code).toBe('calendar_feed_not_found');
});

test('the secret address is not a label of the metrics', async () => {
  await gateway.app.inject({ url });
  const metrics = await gateway.metrics.text();
  expect(metrics).toContain('route="/calendars/:file"');
  expect(metrics).not.toContain('Secret-token_1');
});
