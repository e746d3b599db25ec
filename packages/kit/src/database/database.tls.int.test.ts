import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { silentLog } from '@mostrador/testing/context';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
  trustAuthority,
} from '@mostrador/testing/servers/certificates';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { collectUncaught, type Uncaught } from '@mostrador/testing/uncaught';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSystemDatabase, type SystemDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { databaseCheck } from './readiness.ts';

describe.skipIf(!canMakeCertificates)('PostgreSQL with TLS', () => {
  const trusted = process.env.TEST_POSTGRES_CA as string;
  let postgres: TestDatabase;
  /** Of an authority that the test does not trust. */
  let strange: Certificates;
  let uncaught: Uncaught;
  let distrust: () => void;
  const opened: SystemDatabase[] = [];
  const servers: { server: Server; sockets: Socket[] }[] = [];

  beforeAll(async () => {
    uncaught = collectUncaught();
    strange = makeCertificates();
    postgres = await createTestDatabase('crm');
  });
  beforeEach(() => {
    distrust = trustAuthority(trusted);
  });
  afterEach(async () => {
    distrust();
    await Promise.all(opened.splice(0).map((each) => each.close()));
    for (const { server, sockets } of servers.splice(0)) {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    }
    expect(uncaught.errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await postgres?.drop();
    strange?.remove();
    uncaught.stop();
  });

  /** `hosts`: those of the address, in the place of the test server's. */
  const urlOf = (parameters: string, hosts?: string): string => {
    const url = new URL(postgres.systemUrl);
    return `${hosts ? url.href.replace(url.host, hosts) : url.href}?${parameters}`;
  };
  const port = () => new URL(postgres.url).port;
  const connected = (parameters: string, hosts?: string): SystemDatabase => {
    const options = { url: urlOf(parameters, hosts), size: 2, log: silentLog(), name: 'tls' };
    const database = createSystemDatabase(options);
    opened.push(database);
    return database;
  };
  const scope = (timeoutMs = 60_000) => ({ deadline: Date.now() + timeoutMs });
  const isSecured = async (database: SystemDatabase): Promise<unknown> => {
    const rows = await database.read(scope(), (sql) => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    return rows[0]?.ssl;
  };
  /** A server that is not PostgreSQL. `onRequest` runs when a client asks for TLS. */
  const listen = async (onRequest: (socket: Socket) => void, host = '127.0.0.1'): Promise<string> => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.once('data', () => onRequest(socket));
    }).listen(0, host);
    await once(server, 'listening');
    servers.push({ server, sockets });
    return String((server.address() as AddressInfo).port);
  };
  const refused = async (database: SystemDatabase, cause: string, reason: string | RegExp) => {
    const reads = Array.from({ length: 4 }, () =>
      expect(database.read(scope(), (sql) => sql`select 1`)).rejects.toMatchObject({
        code: 'service_unavailable',
        cause: { code: cause },
      }),
    );
    await Promise.all(reads);
    await expect(databaseCheck(database, 'DATABASE_SYSTEM_URL')()).rejects.toThrow(reason);
  };

  test.each([
    ['verify-full', 'localhost'],
    ['verify-full', '127.0.0.1'],
    ['verify-ca', 'localhost'],
    ['verify-full&sslnegotiation=direct', 'localhost'],
    ['require&sslnegotiation=direct', '127.0.0.1'],
    ['require', '127.0.0.1'],
    ['prefer', '127.0.0.1'],
    ['allow', '127.0.0.1'],
  ])('sslmode=%s connects over TLS to %s', async (mode, host) => {
    expect(await isSecured(connected(`sslmode=${mode}`, `${host}:${port()}`))).toBe(true);
  });

  test('sslmode=disable, and an address without it, connect in plain text', async () => {
    expect(await isSecured(connected('sslmode=disable'))).toBe(false);
    expect(await isSecured(connected(''))).toBe(false);
  });

  test('only a certificate of a trusted authority is accepted, unless the address asks for no check', async () => {
    distrust();
    const reason = "name the file of PostgreSQL's CA in NODE_EXTRA_CA_CERTS";
    for (const mode of ['verify-full', 'verify-ca', 'verify-full&sslnegotiation=direct', 'no-such-mode']) {
      await refused(connected(`sslmode=${mode}`, `localhost:${port()}`), 'TLS_NOT_TRUSTED', reason);
    }
    expect(await isSecured(connected('sslmode=require', `localhost:${port()}`))).toBe(true);
  });

  /** As PostgreSQL does, up to the handshake. Then it ends the connection. */
  const secureWith = (tls: { cert: string; key: string }, names: (string | null)[]) => (socket: Socket) => {
    socket.write('S');
    const secured = new TLSSocket(socket, {
      isServer: true,
      SNICallback: (name, done) => done(null, void names.push(name)),
      ...tls,
    });
    secured.on('error', () => {}).on('data', () => secured.destroy());
  };

  test('a certificate is accepted only for the host of the address: its name, or its IP address', async () => {
    const [v4, v6] = [port(), await forwardTo(Number(port()))];
    expect(await isSecured(connected('sslmode=require', `[::1]:${v6}`))).toBe(true);
    const reason = 'write a host in DATABASE_SYSTEM_URL that the certificate of PostgreSQL has';
    // The certificate has `localhost` and `127.0.0.1`. These lead to the same server.
    await refused(connected('sslmode=verify-full', `[::1]:${v6}`), 'TLS_OTHER_HOST', reason);
    await refused(connected('sslmode=verify-full', `0x7f000001:${v4}`), 'TLS_OTHER_HOST', reason);
  });
  const forwardTo = async (target: number): Promise<string> => {
    const sockets: Socket[] = [];
    const server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      sockets.push(client, upstream);
      client
        .on('error', () => {})
        .pipe(upstream.on('error', () => {}))
        .pipe(client);
    }).listen(0, '::1');
    await once(server, 'listening');
    servers.push({ server, sockets });
    return String((server.address() as AddressInfo).port);
  };

  test('the handshake names the host of the address, and never an IP address', async () => {
    const names: (string | null)[] = [];
    const { cert, key } = strange.server;
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    const other = await listen(secureWith(tls, names));
    for (const host of ['localhost', '127.0.0.1']) {
      const database = connected('sslmode=require', `${host}:${other}`);
      await expect(database.read(scope(), (sql) => sql`select 1`)).rejects.toMatchObject({
        code: 'service_unavailable',
      });
    }
    expect(names).toEqual(['localhost']);
  });

  test('a server without TLS gets no statement, unless the address allows plain text', async () => {
    const plain = await listen((socket) => socket.end('N'));
    const reason = 'PostgreSQL offers no TLS, which DATABASE_SYSTEM_URL demands';
    for (const mode of ['require', 'verify-full']) {
      await refused(connected(`sslmode=${mode}`, `127.0.0.1:${plain}`), 'TLS_NOT_OFFERED', reason);
    }
  });

  test.each(['prefer', 'allow'])('sslmode=%s connects in plain text to a server without TLS', async (mode) => {
    const without = await listen((socket) => {
      const upstream = connect(Number(port()), '127.0.0.1');
      socket.write('N');
      socket.pipe(upstream.on('error', () => {})).pipe(socket);
    });
    expect(await isSecured(connected(`sslmode=${mode}`, `127.0.0.1:${without}`))).toBe(false);
  });

  test.each<[what: string, onRequest: (socket: Socket) => void, cause: string]>([
    ['closes', (socket) => socket.end(), 'CONNECTION_CLOSED'],
    ['resets', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['reports an error', (socket) => socket.end('EFATAL: out of memory\0'), 'TLS_FAILED'],
    ['answers as something else', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'TLS_FAILED'],
    ['sends more before the handshake', (socket) => socket.write('SN'), 'TLS_FAILED'],
    ['agrees and then closes', (socket) => socket.end('S'), 'ECONNRESET'],
    ['agrees and then resets', (socket) => socket.write('S', () => socket.resetAndDestroy()), 'ECONNRESET'],
    [
      'agrees and then sends something else',
      (socket) => {
        socket.write('S');
        socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
      },
      'TLS_FAILED',
    ],
  ])('a server that %s when TLS begins is unavailable', async (_, onRequest, cause) => {
    const database = connected('sslmode=verify-full', `127.0.0.1:${await listen(onRequest)}`);
    const reason = /TLS handshake with PostgreSQL fails|does not answer/;
    await refused(database, cause, reason);
  });

  test('a handshake that hangs ends with the time for a connection, and the next host gets the work', async () => {
    const hangs: ((socket: Socket) => void)[] = [
      () => {},
      (socket) => socket.write('S'),
      (socket) => {
        socket.write('S');
        socket.resume();
        // The header of a record of 16 KiB, and then its content, a byte at a time.
        const record = [22, 3, 3, 64, 0];
        const bytes = setInterval(() => socket.write(Buffer.from([record.shift() ?? 2])), 200);
        socket.once('close', () => clearInterval(bytes));
      },
    ];
    const read = (hosts: string) =>
      connected('sslmode=verify-full', hosts).read(scope(600_000), (sql) => sql`select 1 as one`);
    const outcomes = hangs.map(async (hang) => {
      const hanging = await listen(hang);
      const failure = { code: 'service_unavailable', cause: { code: 'CONNECT_TIMEOUT' } };
      await Promise.all([
        expect(read(`127.0.0.1:${hanging}`)).rejects.toMatchObject(failure),
        expect(read(`127.0.0.1:${hanging},localhost:${port()}`)).resolves.toEqual([{ one: 1 }]),
      ]);
    });
    await Promise.all(outcomes);
  });

  test('an operation whose handshake has not ended by its deadline was not done, and closes its socket', async () => {
    const sockets: Socket[] = [];
    const hanging = await listen((socket) => {
      sockets.push(socket.resume());
      socket.write('S');
    });
    const database = connected('sslmode=verify-full', `127.0.0.1:${hanging}`);
    await expect(database.read(scope(300), (sql) => sql`select 1`)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await waitFor(() => sockets.length > 0 && sockets.every(({ destroyed }) => destroyed), {
      description: 'the sockets are closed',
    });
  });

  test('of several hosts one with another certificate, or without TLS, is passed over', async () => {
    const plain = await listen((socket) => socket.end('N'));
    for (const first of [`0x7f000001:${port()}`, `127.0.0.1:${plain}`]) {
      expect(await isSecured(connected('sslmode=verify-full', `${first},localhost:${port()}`))).toBe(true);
    }
  });

  describe('the migrate command', () => {
    let directory: string;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'mostrador-migrations-'));
      // As in an empty database: the schema has no migration yet.
      await postgres.adminSql`drop table if exists crm.schema_migrations`;
    });
    afterEach(() => rm(directory, { recursive: true }));
    const run = (parameters: string) => {
      const url = `${postgres.ownerUrl.replace('127.0.0.1', 'localhost')}?${parameters}`;
      return migrate({ url, schema: 'crm', directory, log: { info: () => {} } });
    };

    test('says what is wrong with the certificate', async () => {
      distrust();
      await expect(run('sslmode=verify-full')).rejects.toThrow('the TLS handshake failed: unable to verify');
    });

    test.each(['verify-full', 'disable'])(
      'ends with an error when PostgreSQL ends its session in the middle, with sslmode=%s',
      async (mode) => {
        await writeFile(join(directory, '0001-slow.sql'), "select pg_sleep(600), 'slow migration';");
        const ended = expect(run(`sslmode=${mode}`)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
        await waitFor(
          async () => {
            const rows = await postgres.adminSql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query like '%slow migration%' and pid <> pg_backend_pid()`;
            return rows.length > 0;
          },
          { description: 'the migration runs' },
        );
        await ended;
      },
    );
  });
});
