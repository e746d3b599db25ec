import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { startOtlpReceiver } from '@mostrador/testing/otlp-receiver';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '../rpc/errors.ts';
import { readConfig, tracingConfig } from './config.ts';
import { createLog } from './log.ts';
import { sampledRatio, startTracing } from './start-tracing.ts';
import { inSpan, readTraceparent, type Tracing } from './tracing.ts';

type Receiver = Awaited<ReturnType<typeof startOtlpReceiver>>;
const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Traces of a process, the collector that takes them, and what the process logs. */
async function start(env: NodeJS.ProcessEnv = {}, options: Parameters<typeof startOtlpReceiver>[0] = {}) {
  const receiver = await startOtlpReceiver(options);
  const lines: { level: string; msg: string }[] = [];
  const to = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(JSON.parse(String(chunk)))) });
  const log = createLog({ service: 'test', level: 'info', format: 'json', to });
  const config = readConfig(Type.Object(tracingConfig), {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'always_on' },
    ...env,
  });
  const tracing = (await startTracing('test', config, log)) as Tracing;
  endings.push(async () => {
    await tracing.stop(100);
    await receiver.close();
  });
  return { receiver, tracing, lines };
}
/** Sends what is left, without the wait for a batch. */
const sent = (tracing: Tracing) => tracing.stop(60_000);
const untilReceived = (receiver: Receiver, count: number) => expect.poll(() => receiver.spans).toHaveLength(count);

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((text) => /[^0]/.test(text));
const traceparents = fc.tuple(hex(32), hex(16), hex(2)).map(([trace, span, flags]) => `00-${trace}-${span}-${flags}`);
const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-ff`, true],
  // A later version may mean more by other flags.
  [`01-${traceId}-${spanId}-02`, false],
])('%s is a trace context', (text, isSampled) => {
  expect(readTraceparent(text)).toEqual({ traceId, spanId, isSampled });
});

test.each([
  '',
  'x',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-more`,
  ` 00-${traceId}-${spanId}-01`,
])('%j is none', (text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test.each([
  [{}, 0.01],
  [{ OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, 1],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: '0' }, 1],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
  [{ OTEL_TRACES_SAMPLER: 'always_off', OTEL_TRACES_SAMPLER_ARG: '1' }, 0],
])('with %j the recorded share is %d', (env, ratio) => {
  expect(sampledRatio(readConfig(Type.Object(tracingConfig), env))).toBe(ratio);
});

test.each([
  { OTEL_TRACES_SAMPLER: 'sometimes' },
  { OTEL_TRACES_SAMPLER_ARG: '1.1' },
  { OTEL_TRACES_SAMPLER_ARG: '-0.1' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/?token=hunter2' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2%zz' },
])('a process does not start with %j, and shows no value', (env) => {
  const [name = ''] = Object.keys(env);
  const read = () => readConfig(Type.Object(tracingConfig), env);
  expect(read).toThrow(name);
  expect(read).not.toThrow(/hunter2/);
});

test('a process without an address for traces does not load the SDK', async () => {
  const script = `
    await import(${JSON.stringify(new URL('../service/service.ts', import.meta.url).href)});
    await import(${JSON.stringify(new URL('../clients/temporal.ts', import.meta.url).href)});
    const { default: { _cache } } = await import('node:module');
    const isOfSdk = (file) => /@opentelemetry.(sdk|exporter|otlp|resources|core)/.test(file);
    console.log(Object.keys(_cache).filter(isOfSdk).length, Object.keys(_cache).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toMatch(/^0 \d{2,}/);
});

describe('whether a trace is recorded', () => {
  test.each([
    ['always_off', undefined],
    ['always_on', expect.any(Object)],
  ])('with %s nothing that an untrusted caller sends changes it', async (sampler, expected) => {
    const { tracing } = await start({ OTEL_TRACES_SAMPLER: sampler });
    fc.assert(
      fc.property(traceparents, (traceparent) => {
        expect(tracing.begin('server', 'GET /', { caller: { traceparent, trusted: false } })).toEqual(expected);
      }),
    );
  });

  test.each(['always_off', 'always_on'])('with %s a trusted caller decides', async (sampler) => {
    const { tracing } = await start({ OTEL_TRACES_SAMPLER: sampler });
    fc.assert(
      fc.property(traceparents, (traceparent) => {
        const span = tracing.begin('server', 'GET /', { caller: { traceparent, trusted: true } });
        expect(span !== undefined).toBe(readTraceparent(traceparent)?.isSampled);
      }),
    );
  });

  test('a caller whose header is not valid counts as one without it', async () => {
    const { tracing } = await start();
    for (const trusted of [true, false]) {
      const span = tracing.begin('server', 'GET /', { caller: { traceparent: 'x', trusted } });
      expect(readTraceparent(span?.traceparent ?? '')).toMatchObject({ isSampled: true });
    }
  });

  test('a span that is not recorded costs no attributes', async () => {
    const { tracing } = await start({ OTEL_TRACES_SAMPLER: 'always_off' });
    const attributes = () => {
      throw new Error('made for nothing');
    };
    fc.assert(
      fc.property(traceparents, (traceparent) => {
        tracing.begin('server', 'GET /', { caller: { traceparent, trusted: false }, attributes });
        for (const parent of [undefined, null, `${traceparent.slice(0, -2)}00`]) {
          expect(tracing.follow('client', 'work', { parent, attributes })).toBeUndefined();
        }
      }),
    );
  });

  test('work follows its cause: the named one, else the current one', async () => {
    const { tracing } = await start({ OTEL_TRACES_SAMPLER: 'always_off' });
    const follow = (parent?: string | null) => tracing.follow('internal', 'work', { parent })?.ids.trace_id;
    expect(follow()).toBeUndefined();
    expect(follow(null)).toBeUndefined();
    expect(follow(`00-${traceId}-${spanId}-00`)).toBeUndefined();
    expect(follow(`00-${traceId}-${spanId}-01`)).toBe(traceId);
    const span = tracing.follow('internal', 'cause', { parent: `00-${traceId}-${spanId}-01` });
    tracing.within(span, () => {
      expect(follow()).toBe(traceId);
      expect(follow(null)).toBeUndefined();
      tracing.within(undefined, () => expect(follow()).toBeUndefined());
    });
  });
});

describe('what is sent', () => {
  test('has the name of the process, the parent, and the caller as the parent of the first span', async () => {
    const { receiver, tracing } = await start({
      OTEL_SERVICE_NAME: 'crm-canary',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-team=crm',
    });
    const caller = { traceparent: `00-${traceId}-${spanId}-00`, trusted: false };
    const root = tracing.begin('server', 'GET /leads', { caller, attributes: () => ({ 'http.route': '/leads' }) });
    await inSpan(tracing, root, () => inSpan(tracing, tracing.follow('client', 'crm', {}), async () => {}));
    await sent(tracing);
    const [inner, outer] = receiver.spans;
    expect(outer).toMatchObject({
      ...{ service: 'crm-canary', name: 'GET /leads', traceId, parentSpanId: spanId },
      attributes: { 'http.route': '/leads' },
    });
    expect(inner).toMatchObject({ name: 'crm', traceId, parentSpanId: outer?.spanId });
    expect(receiver.requests).toMatchObject([
      { path: '/v1/traces', headers: { authorization: 'Bearer a=b', 'x-team': 'crm' } },
    ]);
  });

  test.each([
    [new AppError('lead_not_found', { detail: 'Maria' }), 'lead_not_found', false],
    [new AppError('upstream_timeout', { cause: new Error('Maria') }), 'upstream_timeout', true],
    [Object.assign(new Error('Key (phone)=(5511999990000) already exists'), { code: '23505' }), '23505', true],
    [new TypeError('Maria is undefined'), 'TypeError', true],
    [Object.assign(new Error('refused'), { code: 'Maria da Silva' }), 'Error', true],
    ['Maria', 'unknown', true],
  ])('of an error is its code alone, and a refusal is no failure: %s', async (error, code, failed) => {
    const { receiver, tracing } = await start();
    const work = inSpan(tracing, tracing.begin('internal', 'work', {}), () => Promise.reject(error));
    await expect(work).rejects.toBe(error);
    await sent(tracing);
    expect(receiver.spans).toMatchObject([{ attributes: { 'error.type': code }, failed }]);
    expect(JSON.stringify(receiver.spans)).not.toMatch(/Maria|55119/);
  });
});

describe('a collector', () => {
  test('that refuses is one line in the log, and another one when it takes traces again', async () => {
    let status = 400;
    const { receiver, tracing, lines } = await start(
      {},
      { answer: (response) => response.writeHead(status).end('{}') },
    );
    const send = async (count: number) => {
      tracing.begin('internal', 'work', {})?.end();
      await untilReceived(receiver, count);
    };
    await send(1);
    await expect.poll(() => lines.map(({ level }) => level)).toEqual(['warn']);
    await send(2);
    status = 200;
    await send(3);
    await expect.poll(() => lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('that never answers neither delays work nor the end of the process', async () => {
    const { receiver, tracing } = await start({}, { answer: () => {} });
    await inSpan(tracing, tracing.begin('internal', 'work', {}), async () => {});
    await untilReceived(receiver, 1);
    tracing.begin('internal', 'more', {})?.end();
    await tracing.stop(50);
  });
});
