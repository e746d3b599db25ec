import type { Attributes, BeginOptions, Tracing } from '@mostrador/kit/process/tracing';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addTracing } from './tracing.ts';

type Begun = { readonly name: string; readonly caller: unknown; attributes: Attributes; ended?: string | null };

/** An app whose traces a stand-in records. `current` is what each handler sees. */
async function traced({ trusted = false, isSampled = true } = {}) {
  const begun: Begun[] = [];
  const seen: (string | undefined)[] = [];
  let current: string | undefined;
  const tracing = {
    begin(_kind: string, name: string, { caller, attributes }: BeginOptions) {
      const one: Begun = { name, caller, attributes: attributes?.() ?? {} };
      begun.push(one);
      if (!isSampled) return undefined;
      return {
        traceparent: `span-${begun.length}`,
        set: (more: Attributes) => Object.assign(one, { attributes: { ...one.attributes, ...more } }),
        end: (code: string | null = null) => Object.assign(one, { ended: code }),
      };
    },
    within<T>(span: { traceparent: string } | undefined, work: () => T): T {
      const before = current;
      current = span?.traceparent;
      try {
        return work();
      } finally {
        current = before;
      }
    },
  } as unknown as Tracing;
  const app = fastify({ genReqId: () => 'r-1' });
  app.decorateRequest('failure', null);
  addTracing(app, { tracing, trusted });
  app.post('/leads/:leadId', (request, reply) => {
    seen.push(current, request.span?.traceparent);
    reply.send({});
  });
  app.get('/readyz', (_request, reply) => void reply.send({}));
  app.get('/refused', (request, reply) => {
    request.failure = 'lead_not_found';
    reply.code(404).send({});
  });
  return { app, begun, seen };
}
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('a span names the route and never the address, and covers the handler of a request with a body', async () => {
  const { app, begun, seen } = await traced();
  await app.inject({ method: 'POST', url: '/leads/5511999990000?x=Maria', payload: { name: 'Maria' } });
  await expect
    .poll(() => begun)
    .toEqual([
      {
        name: 'POST /leads/:leadId',
        caller: undefined,
        attributes: {
          ...{ 'http.request.method': 'POST', 'http.route': '/leads/:leadId', 'mostrador.request_id': 'r-1' },
          ...{ 'http.response.status_code': 200, 'mostrador.store_id': undefined },
        },
        ended: null,
      },
    ]);
  expect(seen).toEqual(['span-1', 'span-1']);
});

test.each([true, false])('the header of a caller is passed on as trusted only by the setting: %s', async (trusted) => {
  const { app, begun } = await traced({ trusted });
  await app.inject({ method: 'POST', url: '/leads/a', headers: { traceparent } });
  expect(begun.map(({ caller }) => caller)).toEqual([{ traceparent, trusted }]);
});

test('a request that is not sampled has no span', async () => {
  const { app, seen } = await traced({ isSampled: false });
  expect((await app.inject({ method: 'POST', url: '/leads/a', headers: { traceparent } })).statusCode).toBe(200);
  expect(seen).toEqual([undefined, undefined]);
});

test('a refusal ends its span with the code, an unknown path names no path, and probes have no span', async () => {
  const { app, begun } = await traced();
  await app.inject('/refused');
  await app.inject('/phone/5511999990000');
  await app.inject('/readyz');
  await expect
    .poll(() => begun.map(({ name, ended }) => [name, ended]))
    .toEqual([
      ['GET /refused', 'lead_not_found'],
      ['GET none', null],
    ]);
});
