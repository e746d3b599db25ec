import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { startNameServer } from '@mostrador/testing/servers/name-server';
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
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  return { asked, port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** The address of a name server that gives these addresses, one after the other. */
async function answering(...addresses: string[]): Promise<string> {
  const server = await startNameServer((_, family) => {
    const address = addresses.length > 1 ? addresses.shift() : addresses[0];
    return address?.includes(':') === (family === 6) ? [address] : [];
  });
  closing.push(() => void server.close());
  return server.address;
}

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
    expect(() => createEgress({}).wayTo(new URL(`https://${host}/`))).toThrow(AddressRefused);
  });

  test.each(['10.0.0.1', '127.0.0.1', 'fd00::1', '169.254.169.254'])(
    'a name that leads to the inner address %s',
    async (address) => {
      const options = { dnsServers: await answering(address) };
      const url = new URL('https://hooks.example/');
      expect(await causeOf(url.href, options)).toBeInstanceOf(AddressRefused);
      const [error] = await once(request(url, createEgress(options).wayTo(url)), 'error');
      expect(error).toBeInstanceOf(AddressRefused);
    },
  );

  test('an inner address to which a name changes between two requests', async () => {
    const { port, connections } = await startServer();
    let address = '127.0.0.1';
    const names = await startNameServer((_, family) => (family === 4 ? [address] : []));
    closing.push(() => void names.close());
    const egress = createEgress({ allowHosts: '127.0.0.1', dnsServers: names.address });
    const ask = () => egress.fetch(`https://hooks.example:${port}/`).catch((error: Error) => error.cause);
    // The server has no TLS, so only its connections count.
    expect(await ask()).not.toBeInstanceOf(AddressRefused);
    address = '127.0.0.2';
    expect(await ask()).toBeInstanceOf(AddressRefused);
    expect(connections()).toBe(1);
  });

  test('another machine without TLS, unless the operator allows it', async () => {
    expect(await causeOf('http://hooks.example/', { dnsServers: await answering('198.51.100.1') })).toMatchObject({
      name: 'AddressRefused',
      message: 'the address has no TLS',
    });
    const egress = createEgress({ plaintextHosts });
    const isPrivate = (url: string) => egress.isPrivate(new URL(url));
    expect(['https://x.example', 'http://127.0.0.1', 'http://calendar.example'].map(isPrivate)).not.toContain(false);
    expect(['http://x.example', 'ftp://127.0.0.1'].map(isPrivate)).not.toContain(true);
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.0/8'],
  ['127.0.0.1', ' ::1 , 127.0.0.1 '],
  // The system looks up the name that the operator allows, which may be in its hosts file.
  ['localhost', 'localhost'],
])('the inner address %s is reached when the operator allows it as %s', async (host, allowHosts) => {
  const { port, asked } = await startServer();
  const egress = createEgress({ allowHosts, dnsServers: await answering('198.51.100.1') });
  const url = new URL(`http://${host}:${port}/`);
  expect((await egress.fetch(url)).status).toBe(200);
  const asking = requestHttp(url, egress.wayTo(url)).end();
  const [response] = await once(asking, 'response');
  expect(response.resume().statusCode).toBe(200);
  expect(asked).toHaveLength(2);
});

test('a redirect is an answer, so its target is a request of its own', async () => {
  const { port } = await startServer();
  const response = await createEgress({ allowHosts: '127.0.0.1' }).fetch(`http://127.0.0.1:${port}/moved`);
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
});

test('an address that is stored is checked with a look-up, and a name without one passes for now', async () => {
  const check = async (url: string, found: string) => {
    const names = await startNameServer((_, family) => (found === 'unknown' ? found : family === 4 ? [found] : []));
    closing.push(() => void names.close());
    return await createEgress({ dnsServers: names.address }).check(new URL(url), AbortSignal.timeout(30_000));
  };
  await expect(check('https://hooks.example/', '10.0.0.1')).rejects.toThrow(AddressRefused);
  await expect(check('https://[::1]/', '198.41.0.4')).rejects.toThrow(AddressRefused);
  await expect(check('http://hooks.example/', '198.41.0.4')).rejects.toThrow(AddressRefused);
  await check('https://hooks.example/', '198.41.0.4');
  await check('https://hooks.example/', 'unknown');
});

test('public addresses are allowed', () => {
  const egress = createEgress({});
  for (const host of ['93.184.215.14', '[2606:2800:21f::1]', 'www.googleapis.com']) {
    expect(() => egress.wayTo(new URL(`https://${host}/`))).not.toThrow();
  }
});
