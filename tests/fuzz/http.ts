import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { errorCatalogue } from '@mostrador/contracts';
import type { Random } from '@mostrador/testing/random';
import { heavyJson, mutated, randomBytes } from './bytes.ts';
import type { Part } from './part.ts';
import type { FuzzPlatform } from './platform.ts';
import { publicPaths } from './public-paths.ts';

const atOnce = 8;
/** The gateway gives a request this long to arrive, and then answers or closes the connection. */
const arrivalMs = 30_000;
const limitMs = arrivalMs + 10_000;
const hangUpAfterMs = 1_500;

/** Sends raw bytes to the gateway: broken HTTP, large JSON, large headers, bodies that never end. */
export const http: Part = {
  name: 'HTTP',
  async run({ platform, random, until, finding }) {
    let tries = 0;
    const client = async (number: number) => {
      while (Date.now() < until) {
        // The first client always sends slow requests, each of which can take 40 s.
        const slow = number === 0;
        const { bytes, what } = slow ? slowRequest(platform, random) : requestOf(platform, random);
        const { text, late } = await exchange(platform.ports.gateway, bytes, slow ? limitMs : hangUpAfterMs, slow);
        tries += 1;
        if (late) finding(`HTTP, ${what}: no answer and no close within ${limitMs / 1000} s`);
        for (const fault of faultsOf(text)) finding(`HTTP, ${what}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, number) => client(number)));
    return tries;
  },
};

const bodies = [
  '{"title":"Corte","scheduled_at":"2027-01-31T09:00:00.000Z"}',
  '{"name":"Ana","customer_phone":"5511987654321"}',
  '{"message":"Bom dia"}',
  '{"message":"Bom dia","customer_phone":"5511987654321"}',
  '{"lead_id":"0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a","message":"x","delay_minutes":1}',
];
const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY', 'G\0T'];

/** A public path, usually with valid parameters, or a path that does not exist. */
function pathOf({ parameters }: FuzzPlatform, random: Random): string {
  return random.pick([...publicPaths, '/integrations/v1/nothing', '/nothing']).replaceAll(/:(\w+)|\*/g, (_, name) => {
    const valid = parameters[name] ?? randomUUID();
    return random.next() < 0.7 ? valid : encodeURIComponent(randomBytes(random, 60).toString('latin1'));
  });
}

function head(
  platform: FuzzPlatform,
  random: Random,
  headers: readonly string[],
  method = random.pick(methods),
): string {
  const { store, ports } = platform;
  const line = `${method} ${pathOf(platform, random)} HTTP/1.1`;
  const lines = [line, `host: 127.0.0.1:${ports.gateway}`, `x-api-key: ${store.key}`];
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n`;
}

function requestOf(platform: FuzzPlatform, random: Random): { bytes: Buffer; what: string } {
  const json = (body: string, method?: string): Buffer => {
    const headers = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
    return Buffer.from(head(platform, random, headers, method) + body);
  };
  switch (random.below(9)) {
    case 0:
      return { what: 'random bytes', bytes: randomBytes(random, 2_000) };
    case 1:
      return { what: 'a mutated request', bytes: mutated(random, json(random.pick(bodies))) };
    case 2:
      return { what: 'a mutated body', bytes: json(mutated(random, Buffer.from(random.pick(bodies))).toString()) };
    case 3:
      return { what: 'large JSON', bytes: json(heavyJson(random, random.pick([1_000, 60_000, 250_000])), 'POST') };
    case 4: {
      const preconditions = ['if-match', 'if-none-match'];
      const name = random.pick([
        'x-long',
        'cookie',
        'idempotency-key',
        ...preconditions,
        'traceparent',
        'x-request-id',
      ]);
      return {
        what: 'a large header',
        bytes: Buffer.from(
          head(platform, random, [`${name}: ${'a'.repeat(random.pick([300, 9_000, 20_000, 100_000]))}`]),
        ),
      };
    }
    case 5: {
      const many = Array.from({ length: random.below(3_000) }, (_, index) => `x-${index}: ${index}`);
      return { what: 'many headers', bytes: Buffer.from(head(platform, random, many)) };
    }
    case 6: {
      const chunks = mutated(random, Buffer.from('7\r\n{"a":1}\r\n0\r\n\r\n'));
      const start = head(platform, random, ['transfer-encoding: chunked', 'content-type: application/json'], 'POST');
      return { what: 'mutated chunks', bytes: Buffer.concat([Buffer.from(start), chunks]) };
    }
    case 7: {
      const both = ['transfer-encoding: chunked', 'content-length: 5', 'content-type: application/json'];
      return {
        what: 'two lengths',
        bytes: Buffer.from(`${head(platform, random, both, 'POST')}0\r\n\r\nGET / HTTP/1.1\r\n`),
      };
    }
    default: {
      const bytes = encodeURIComponent(randomBytes(random, 60).toString('latin1'));
      const target = random.pick([`${pathOf(platform, random)}?${bytes}`, `${pathOf(platform, random)}/${bytes}`]);
      const lines = [`GET ${target} HTTP/1.1`, 'host: x', `x-api-key: ${platform.store.key}`];
      return { what: 'a random URL', bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`) };
    }
  }
}

/** A request whose body is shorter than its content-length. */
function slowRequest(platform: FuzzPlatform, random: Random): { bytes: Buffer; what: string } {
  const headers = ['content-type: application/json', 'content-length: 1000'];
  const whole = `${head(platform, random, headers, 'POST')}{"title":`;
  const cut = random.next() < 0.5 ? whole.length : random.below(whole.length);
  return { what: 'a request that never ends', bytes: Buffer.from(whole.slice(0, Math.max(1, cut))) };
}

/**
 * Writes, and reads until the server closes, goes quiet, or `waitMs` passes. With `mustClose`, the latter is `late`.
 */
function exchange(
  port: number,
  bytes: Buffer,
  waitMs: number,
  mustClose: boolean,
): Promise<{ text: string; late: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let late = false;
    const timer = setTimeout(() => {
      late = mustClose;
      socket.destroy();
    }, waitMs);
    // The answer is complete when nothing arrives for 100 ms.
    let quiet: NodeJS.Timeout | undefined;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.destroy(), 100);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(quiet);
      resolve({ text: Buffer.concat(chunks).toString('latin1'), late });
    });
  });
}

const statuses = new Set<number>(Object.values(errorCatalogue).map(({ status }) => status));

/** How the first answer differs from the error catalogue. */
function faultsOf(text: string): string[] {
  if (text === '') return [];
  const [, code] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  if (code === undefined) return ['the answer is not HTTP'];
  const status = Number(code);
  if (status < 400) return [];
  if (status >= 500) return [`answered ${status}`];
  if (!statuses.has(status)) return [`answered ${status}, which no error of the catalogue has`];
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  const named = /"code":"([a-z_]+)"/.exec(body)?.[1];
  // HEAD has no body.
  if (named === undefined) return body === '' ? [] : [`answered ${status} without a code`];
  return named in errorCatalogue ? [] : [`answered the code ${named}, which is not in the catalogue`];
}
