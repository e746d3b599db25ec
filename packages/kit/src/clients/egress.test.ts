import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AddressRefused, createEgress, type EgressOptions } from './egress.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server on this machine, and the hosts that its requests named. */
async function startServer() {
  const asked: (string | undefined)[] = [];
  const server = createServer((incoming, response) => {
    asked.push(incoming.headers.host);
    const status = incoming.url === '/moved' ? 302 : 200;
    response.writeHead(status, { location: 'http://169.254.169.254/', connection: 'close' }).end('inner');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { asked, port: (server.address() as AddressInfo).port };
}

/** A name server that gives these addresses, one after the other. */
const answering = (...addresses: string[]): typeof lookup =>
  ((_host: string, _options: object, callback: (error: null, found: object[]) => void) => {
    const address = addresses.length > 1 ? addresses.shift() : addresses[0];
    callback(null, [{ address, family: address?.includes(':') ? 6 : 4 }]);
  }) as never;

const plaintextHosts = 'calendar.example';

const causeOf = async (url: string, options: EgressOptions): Promise<unknown> => {
  const error = await createEgress(options)
    .fetch(url)
    .catch((caught: Error) => caught);
  return (error as Error).cause;
};

describe('a request never reaches', () => {
  test.each([
    ...['127.0.0.1', '10.0.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['[::1]', '[fd00:ec2::254]', '[fe80::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a00:1]', '[2002:a00:1::]'],
    ...['2130706433', '0x7f.1', '127.1'],
  ])('the inner address %s', async (host) => {
    expect(await causeOf(`https://${host}/`, {})).toBeInstanceOf(AddressRefused);
    expect(() => createEgress({}).agentFor(new URL(`https://${host}/`))).toThrow(AddressRefused);
  });

  test.each(['10.0.0.1', '127.0.0.1', 'fd00::1', '169.254.169.254'])(
    'a name that leads to the inner address %s',
    async (address) => {
      const options = { plaintextHosts, lookup: answering(address) };
      expect(await causeOf('http://calendar.example/', options)).toBeInstanceOf(AddressRefused);
      const url = new URL('http://calendar.example/');
      const [error] = await once(request(url, { agent: createEgress(options).agentFor(url) }), 'error').catch(
        (caught) => [caught],
      );
      expect(error).toBeInstanceOf(AddressRefused);
    },
  );

  test('an inner address to which a name changes between two requests', async () => {
    const { port, asked } = await startServer();
    const options = { plaintextHosts, allowHosts: '127.0.0.1', lookup: answering('127.0.0.1', '127.0.0.2') };
    const egress = createEgress(options);
    expect(await (await egress.fetch(`http://calendar.example:${port}/`)).text()).toBe('inner');
    const second = await egress.fetch(`http://calendar.example:${port}/`).catch((error: Error) => error.cause);
    expect(second).toBeInstanceOf(AddressRefused);
    expect(asked).toHaveLength(1);
  });

  test('another machine without TLS, unless the operator allows it', async () => {
    expect(await causeOf('http://calendar.example/', { lookup: answering('198.51.100.1') })).toMatchObject({
      name: 'AddressRefused',
      message: 'the address has no TLS',
    });
    const egress = createEgress({ plaintextHosts });
    const isPrivate = (url: string) => egress.isPrivate(new URL(url));
    expect(['https://x.example', 'http://127.0.0.1', 'http://calendar.example'].map(isPrivate)).not.toContain(false);
    expect(['http://x.example', 'ftp://127.0.0.1'].map(isPrivate)).not.toContain(true);
  });
});

test.each(['127.0.0.1', '127.0.0.0/8', 'calendar.example', ' ::1 , 127.0.0.1 '])(
  'an inner address is reached when the operator allows it as %s',
  async (allowHosts) => {
    const { port, asked } = await startServer();
    const egress = createEgress({ allowHosts, plaintextHosts, lookup: answering('127.0.0.1') });
    const url = new URL(`http://calendar.example:${port}/`);
    expect((await egress.fetch(url)).status).toBe(200);
    const asking = request(url, { agent: egress.agentFor(url) }).end();
    const [response] = await once(asking, 'response');
    expect(response.resume().statusCode).toBe(200);
    expect(asked).toHaveLength(2);
  },
);

test('a redirect is an answer, so its target is a request of its own', async () => {
  const { port } = await startServer();
  const response = await createEgress({ allowHosts: '127.0.0.1' }).fetch(`http://127.0.0.1:${port}/moved`);
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
});

test('an address that is stored is checked with a look-up, and a name without one passes for now', async () => {
  const check = (url: string, found: string | Error) => {
    const failing = ((_host: string, _options: object, callback: (error: unknown) => void) => callback(found)) as never;
    const lookup = found instanceof Error ? failing : answering(found);
    return createEgress({ lookup }).check(new URL(url), AbortSignal.timeout(30_000));
  };
  await expect(check('https://hooks.example/', '10.0.0.1')).rejects.toThrow(AddressRefused);
  await expect(check('https://[::1]/', '198.41.0.4')).rejects.toThrow(AddressRefused);
  await expect(check('http://hooks.example/', '198.41.0.4')).rejects.toThrow(AddressRefused);
  await check('https://hooks.example/', '198.41.0.4');
  await check('https://hooks.example/', new Error('the name server is down'));
});

test('public addresses are allowed', () => {
  const egress = createEgress({});
  for (const host of ['93.184.215.14', '[2606:2800:21f::1]', 'www.googleapis.com']) {
    expect(() => egress.agentFor(new URL(`https://${host}/`))).not.toThrow();
  }
});
