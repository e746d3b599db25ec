import { processNames } from '@mostrador/platform/processes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { databaseIn, loginIn, natsAddresses, postgresAddresses, withDatabase, withLogin } from './addresses.ts';
import { environmentFile } from './environment-file.ts';

const password = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09-_.~!@:/?#[]$&\'()*+,;=%" ') });
const host = fc.constantFrom('db.internal', 'localhost:5433', 'db1:5432,db2:5432', '[fd00::1]:5432');

describe('an address of PostgreSQL', () => {
  test('holds whatever password, with its hosts, database and parameters', () => {
    fc.assert(
      fc.property(host, password, (hosts, secret) => {
        const address = postgresAddresses(`postgres://${hosts}/shop?sslmode=verify-full`)('crm', secret);
        expect(loginIn(address)).toEqual({ user: 'crm', password: secret });
        expect(databaseIn(address)).toBe('shop');
        expect(address.endsWith(`@${hosts}/shop?sslmode=verify-full`)).toBe(true);
        expect(withLogin(address, 'crm', secret)).toBe(address);
        expect(databaseIn(withDatabase(address, 'other'))).toBe('other');
      }),
    );
  });

  test.each([
    ['postgres://db', 'postgres://crm:p@db/mostrador'],
    ['postgres://db/', 'postgres://crm:p@db/mostrador'],
    ['postgresql://db:5433/shop', 'postgresql://crm:p@db:5433/shop'],
    ['postgres://db?sslmode=require', 'postgres://crm:p@db/mostrador?sslmode=require'],
  ])('%s becomes %s', (address, expected) => {
    expect(postgresAddresses(address)('crm', 'p')).toBe(expected);
  });

  test.each(['', 'db.internal', 'http://db', 'postgres://', 'postgres://ana:hunter2@db/shop'])(
    '%s is rejected, and its password not repeated',
    (address) => {
      expect(() => postgresAddresses(address)).toThrow(/^--postgres must be an address without a user/);
      expect(() => postgresAddresses(address)).not.toThrow(/hunter2/);
    },
  );

  test('keeps its parameters with another database', () => {
    const url = 'postgres://root:p@db1,db2/postgres?sslmode=verify-full';
    expect(withDatabase(url, 'shop')).toBe('postgres://root:p@db1,db2/shop?sslmode=verify-full');
    expect(withDatabase('postgres://root:p@db', 'shop')).toBe('postgres://root:p@db/shop');
  });
});

test('each server of NATS gets the user', () => {
  expect(natsAddresses('tls://a:4222, tls://b:4222')('crm', 'p1')).toBe('tls://crm:p1@a:4222,tls://crm:p1@b:4222');
  expect(() => natsAddresses('tls://crm:hunter2@a:4222')).toThrow(/^--nats must be an address without a user/);
});

describe('the environment file', () => {
  const environment = {
    TEMPORAL_ADDRESS: 'temporal:7233',
    PUBLIC_URL: 'https://shop.example',
    LOG_LEVEL: '',
    DATABASE_URL: 'postgres://crm:hunter2@db/shop',
    TEMPORAL_API_KEY_FILE: '/run/key',
    HEALTH_PORT: '1',
    OIDC_NAME: `a "name" with $HOME and \`ls\``,
  };
  const file = (process: (typeof processNames)[number], hasSecret: (variable: string) => boolean = () => true) =>
    environmentFile(process, { folder: '/etc/secrets', environment, hasSecret });

  test.each(processNames)('of %s has every required variable, no secret, and a port of its own', (process) => {
    const { text, missing } = file(process);
    expect(missing).toEqual([]);
    expect(text).not.toContain('hunter2');
    expect(text).toContain(`NATS_URL_FILE=/etc/secrets/${process}/NATS_URL\n`);
    expect(text).not.toMatch(/^HEALTH_PORT=1$/m);
  });

  test('names the required variables that have no value', () => {
    const { missing } = environmentFile('scheduling', { folder: 'x', environment: {}, hasSecret: () => false });
    expect(missing.toSorted()).toEqual([
      ...['DATABASE_SYSTEM_URL_FILE', 'DATABASE_URL_FILE', 'ENCRYPTION_KEYS_FILE', 'NATS_URL_FILE', 'PUBLIC_URL'],
      'TEMPORAL_ADDRESS',
    ]);
  });

  test('takes the file of a secret that the folder lacks from the environment, and shows defaults as comments', () => {
    const { text } = file('scheduling', (variable) => variable !== 'TEMPORAL_API_KEY');
    expect(text).toContain('\nTEMPORAL_API_KEY_FILE=/run/key\n');
    expect(text).toContain('\n# DATABASE_POOL_SIZE=8\n');
    expect(text).toContain('\n# LOG_LEVEL=info\n');
  });

  test('quotes what a shell would change', () => {
    expect(file('accounts').text).toContain('\nOIDC_NAME="a \\"name\\" with \\$HOME and \\`ls\\`"\n');
  });
});
