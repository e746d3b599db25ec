import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { createEgress } from '@mostrador/kit/clients/egress';
import { localEgress } from '@mostrador/testing/context';
import { afterEach, describe, expect, test } from 'vitest';
import type { OutboundMessage } from '../channel-provider.ts';
import { createWhatsappAdapter } from './adapter.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = { status: number; body: string; headers?: Record<string, string> };
type Request = { url: string | undefined; headers: IncomingHttpHeaders; body: unknown };

/** A server that gives every request the same answer and records the requests. */
async function answering(answer: Answer) {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? undefined : await json(request);
    requests.push({ url: request.url, headers: request.headers, body });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { requests, port: (server.address() as AddressInfo).port };
}

const provider = (port: number) =>
  createWhatsappAdapter({
    apiUrl: `http://127.0.0.1:${port}/v23.0`,
    phoneNumberId: '106540352242922',
    accessToken: 'EAAtoken',
    egress: localEgress(),
  });
const message: OutboundMessage = { id: 'our-id', to: '5511999990000', text: 'Olá 👋 "x"', template: null, attempt: 1 };
const accepted: Answer = {
  status: 200,
  body: '{"messaging_product":"whatsapp","contacts":[{"input":"5511999990000","wa_id":"551199990000"}],"messages":[{"id":"wamid.A="}]}',
};
const send = (port: number, outbound = message, limitMs = 60_000) =>
  provider(port).send(outbound, AbortSignal.timeout(limitMs));
const refusal = (status: number, error: object, headers?: Record<string, string>): Answer => ({
  status,
  body: JSON.stringify({ error }),
  ...(headers && { headers }),
});

describe('a request', () => {
  test('with a text has our id in the body and the token only in its header', async () => {
    const { port, requests } = await answering(accepted);
    expect(await send(port)).toEqual({ providerMessageId: 'wamid.A=', waId: '551199990000' });
    expect(requests).toMatchObject([
      {
        url: '/v23.0/106540352242922/messages',
        headers: { authorization: 'Bearer EAAtoken', 'content-type': 'application/json' },
        body: {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: '5511999990000',
          type: 'text',
          text: { body: 'Olá 👋 "x"', preview_url: false },
          biz_opaque_callback_data: 'our-id',
        },
      },
    ]);
    expect(JSON.stringify(requests[0]?.body)).not.toContain('EAAtoken');
  });

  test('to a business-scoped user id names it as the recipient', async () => {
    const { port, requests } = await answering({
      ...{ status: 200, body: '{"contacts":[{"input":"BR.1","user_id":"BR.1"}],"messages":[{"id":"wamid.A="}]}' },
    });
    expect(await send(port, { ...message, to: 'BR.1' })).toEqual({ providerMessageId: 'wamid.A=', waId: null });
    expect(requests[0]?.body).toMatchObject({ recipient: 'BR.1', recipient_type: 'individual' });
    expect(requests[0]?.body).not.toHaveProperty('to');
  });

  test('with a template has its components unchanged', async () => {
    const { port, requests } = await answering(accepted);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }];
    await send(port, { ...message, template: { name: 'hello', language: 'pt_BR', components } });
    expect(requests[0]?.body).toMatchObject({
      type: 'template',
      template: { name: 'hello', language: { code: 'pt_BR' }, components },
    });
    expect(requests[0]?.body).not.toHaveProperty('text');
  });
});

describe('a readable refusal', () => {
  test.each([
    [{ code: 190 }, 'channel'],
    [{ code: 100, error_subcode: 33 }, 'channel'],
    [{ code: 131026 }, 'refused'],
    [{ code: 131000 }, 'not_sent'],
    [{ code: 80007 }, 'throttled'],
  ])('with %j is %s, as the table of errors has it', async (error, kind) => {
    const { port } = await answering(refusal(400, error));
    await expect(send(port)).rejects.toMatchObject({ kind });
  });

  test('with an unknown code is classified by its HTTP status', async () => {
    const unknown = { code: 999_999 };
    const { port: throttling } = await answering(refusal(429, unknown));
    await expect(send(throttling)).rejects.toMatchObject({ kind: 'throttled', scope: 'number' });
    const { port: failing } = await answering(refusal(503, unknown));
    await expect(send(failing)).rejects.toMatchObject({ kind: 'not_sent' });
  });

  test('of the pair throttles the pair, and Retry-After takes precedence', async () => {
    const { port: plain } = await answering(refusal(400, { code: 131056 }));
    await expect(send(plain)).rejects.toMatchObject({ scope: 'pair', retryAfterSeconds: 6 });
    const { port: told } = await answering(refusal(400, { code: 131056 }, { 'retry-after': '17' }));
    await expect(send(told)).rejects.toMatchObject({ retryAfterSeconds: 17 });
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { port: dated } = await answering(refusal(429, { code: 130429 }, { 'retry-after': date }));
    const error = (await send(dated).catch((caught) => caught)) as { retryAfterSeconds: number };
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual((Date.parse(date) - Date.now()) / 1000);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test('shows nothing of Meta’s text, which may quote the customer’s number', async () => {
    const quoting = { code: 131026, message: 'to 5511999990000', error_data: { details: '5511999990000' } };
    const { port } = await answering(refusal(400, quoting));
    const error = (await send(port).catch((caught) => caught)) as Error;
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain('5511999990000');
  });
});

describe('a check of the channel', () => {
  const check = async (answer: Answer) => {
    const { port, requests } = await answering(answer);
    await provider(port).check(AbortSignal.timeout(60_000));
    return requests;
  };
  const healthy = (can_send_message: string): Answer => ({
    status: 200,
    body: JSON.stringify({ health_status: { can_send_message, entities: [] }, id: '106540352242922' }),
  });

  test('asks for the health of the number and sends nothing', async () => {
    expect(await check(healthy('AVAILABLE'))).toMatchObject([
      { url: '/v23.0/106540352242922?fields=health_status', headers: { authorization: 'Bearer EAAtoken' } },
    ]);
  });

  test.each([healthy('LIMITED'), { status: 200, body: '{"id":"106540352242922"}' }])('passes by %j', async (answer) => {
    await check(answer);
  });

  test.each([
    [healthy('BLOCKED'), { kind: 'throttled', code: 'whatsapp_blocked' }],
    [refusal(401, { code: 190 }), { kind: 'channel', code: 'whatsapp_190' }],
    [refusal(403, { code: 131031 }), { kind: 'channel', code: 'whatsapp_131031' }],
    [refusal(500, { code: 2 }), { kind: 'not_sent' }],
    [{ status: 200, body: '<html>' }, { kind: 'ambiguous' }],
    [
      { status: 404, body: '{}' },
      { kind: 'ambiguous', outage: false },
    ],
    [
      { status: 502, body: 'Bad gateway' },
      { kind: 'ambiguous', outage: true },
    ],
  ] satisfies [Answer, object][])('does not pass by %j', async (answer, failure) => {
    await expect(check(answer)).rejects.toMatchObject(failure);
  });
});

describe('the outcome of a failed request', () => {
  test('is `not_sent` when the connection is refused', async () => {
    const { port } = await answering(accepted);
    for (const close of closing.splice(0)) close();
    await expect(send(port)).rejects.toMatchObject({
      ...{ kind: 'not_sent', code: 'whatsapp_unreachable' },
      detail: 'WhatsApp could not be reached.',
    });
  });

  test('is `not_sent` when no connection is established before the timeout', async () => {
    // An address of the documentation range (RFC 5737): nothing answers there, or the network rejects it at once.
    const egress = createEgress({ allowHosts: '192.0.2.1', plaintextHosts: '192.0.2.1' });
    const nowhere = createWhatsappAdapter({
      ...{ apiUrl: 'http://192.0.2.1:9/v1', phoneNumberId: '1', accessToken: 't' },
      egress,
    });
    await expect(nowhere.send(message, AbortSignal.timeout(300))).rejects.toMatchObject({ kind: 'not_sent' });
  });

  test('is a fault of the channel, without a request, when the address is in a private network or has no TLS', async () => {
    const { port, requests } = await answering(accepted);
    for (const apiUrl of [`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`, 'http://example.com']) {
      const settings = { apiUrl, phoneNumberId: '1', accessToken: 't', egress: createEgress({}) };
      const sent = createWhatsappAdapter(settings).send(message, AbortSignal.timeout(60_000));
      await expect(sent).rejects.toMatchObject({ kind: 'channel', code: 'whatsapp_address_refused' });
      const checked = createWhatsappAdapter(settings).check(AbortSignal.timeout(60_000));
      await expect(checked).rejects.toMatchObject({ kind: 'not_sent', outage: false });
    }
    expect(requests).toEqual([]);
  });

  test.each([
    [{ status: 200, body: '' }],
    [{ status: 200, body: '{"messages":[]}' }],
    [{ status: 200, body: '<html>' }],
    [{ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
    [{ status: 404, body: '<html>' }],
    [{ status: 500, body: '{"error":"no"}' }],
    [{ status: 502, body: 'Bad gateway' }],
    [{ status: 200, body: 'x'.repeat(300_000) }],
  ] satisfies [Answer][])('is `ambiguous` after an unreadable answer: %#', async (answer) => {
    const { port } = await answering(answer);
    await expect(send(port)).rejects.toMatchObject({ kind: 'ambiguous' });
  });

  test('is `ambiguous` when the server reads the request and then hangs or closes the connection', async () => {
    for (const hangUp of [false, true]) {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {});
        if (hangUp) socket.once('data', () => socket.resetAndDestroy());
        closing.push(() => socket.destroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      closing.push(() => server.close());
      const { port } = server.address() as AddressInfo;
      await expect(send(port, message, hangUp ? undefined : 200)).rejects.toMatchObject({
        kind: 'ambiguous',
        code: hangUp ? 'whatsapp_answer_lost' : 'whatsapp_timeout',
      });
    }
  });

  test('is `ambiguous` when the answer is cut short', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '500' }).write('{"messages":');
      setImmediate(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    await expect(send(port)).rejects.toMatchObject({ kind: 'ambiguous' });
  });
});
