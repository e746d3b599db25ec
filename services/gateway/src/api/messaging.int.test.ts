import { closeSession, type Session, sendMessage } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { replay, serializeReply } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
let send: ReturnType<typeof createClient>['send'];
const asked: StoreContext[] = [];
const leadId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
const sessionId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6b';
const messageId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6c';
const pathOf = (lead: string, session: string) => `/leads/${lead}/sessions/${session}/close`;
const path = pathOf(leadId, sessionId);
const ended: Session = {
  id: sessionId,
  lead_id: leadId,
  status: 'ended',
  started_at: '2026-11-21T00:00:00.000Z',
  ended_at: '2026-11-21T01:00:00.000Z',
};

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ send } = createClient(gateway, (await gateway.newStore()).apiKey));
  await gateway.serve(
    'messaging',
    { closeSession, sendMessage },
    {
      closeSession: async (context) => {
        asked.push(context);
        return ended;
      },
      sendMessage: async ({ idempotency }) => {
        const queued = { sent: false, id: messageId, status: 'queued' as const, error: null };
        return idempotency?.key === 'again' ? replay(serializeReply(sendMessage, queued)) : queued;
      },
    },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  asked.length = 0;
});

test.each([
  ['no body and no media type', {}],
  ['the media type of JSON and no body', { headers: { 'content-type': 'application/json' } }],
  ['an empty object', { headers: { 'content-type': 'application/json' }, payload: '{}' }],
])('a POST without a body schema accepts %s', async (_, options) => {
  const answer = await send(`${api}${path}`, { method: 'POST', ...options });
  expect([answer.statusCode, answer.json()]).toEqual([200, ended]);
});

test('a POST or DELETE without a body schema does nothing with members that it does not know, and names them', async () => {
  const cancel = `/leads/${leadId}/messages/${messageId}`;
  for (const [method, target] of [
    ['POST', path],
    ['DELETE', cancel],
  ] as const) {
    const answer = await send(`${api}${target}`, { method, payload: { x: 1 } });
    expect(expectProblem(answer, 400, 'validation_failed').errors).toEqual([
      { pointer: '#/x', detail: 'is not a member of this request' },
    ]);
  }
  expect(asked).toEqual([]);
});

test('a POST without a body accepts an Idempotency-Key, whatever the case of the ids in its path', async () => {
  const headers = { 'idempotency-key': 'k' };
  for (const written of [path, pathOf(leadId.toUpperCase(), sessionId.toUpperCase())]) {
    await send(`${api}${written}`, { method: 'POST', headers });
  }
  const idempotency = { key: 'k', scope: `POST ${path}`, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(asked).toMatchObject([{ idempotency }, { idempotency }]);
  expect(asked[0]?.idempotency).toEqual(asked[1]?.idempotency);
});

test('the answer to a sent message names the address of its present state, also when it is a replay', async () => {
  for (const key of ['first', 'again']) {
    const answer = await send(`${api}/leads/${leadId}/messages`, {
      method: 'POST',
      payload: { message: 'Hello' },
      headers: { 'idempotency-key': key },
    });
    expect(answer.json()).toMatchObject({ id: messageId, status: 'queued' });
    expect(answer.headers.location).toBe(`${publicUrl}${api}/leads/${leadId}/messages/${messageId}`);
    expect(answer.headers['idempotent-replay']).toBe(key === 'again' ? 'true' : undefined);
  }
});
