import { randomUUID } from 'node:crypto';
import { createEgress, type Egress, type EgressOfStores } from '@mostrador/kit/clients/egress';
import { createLog, type Log } from '@mostrador/kit/process/log';
import type { Person, StoreContext } from '@mostrador/kit/rpc/context';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';
import { keepLine } from './recent-log.ts';

export type TestContextOptions = {
  readonly storeId?: string;
  readonly requestId?: string;
  /** The deadline, from now. Default: 30 s, which only a machine that stands still needs. */
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  /** The key's scope. Default: `POST /test`. */
  readonly idempotencyScope?: string;
  /** The body for the key's fingerprint. */
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly person?: Person;
  readonly actor?: StoreContext['actor'];
  readonly log?: Log;
  /** Default: the process does not stop. */
  readonly closing?: AbortSignal;
  /** The role of the person who asks. Default: no person asks. */
  readonly role?: Person['role'];
};

/** The context of a request in a test. Defaults: a new store and a silent log. */
export function testContext(options: TestContextOptions = {}): StoreContext {
  const { timeoutMs = 30_000, idempotencyKey } = options;
  const person = options.person ?? (options.role && personWith(options.role));
  return {
    requestId: options.requestId ?? randomUUID(),
    storeId: options.storeId ?? randomUUID(),
    deadline: Date.now() + timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    closing: options.closing ?? new AbortController().signal,
    log: options.log ?? silentLog(),
    ...(options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch }),
    ...(options.ifNoneMatch === undefined ? {} : { ifNoneMatch: options.ifNoneMatch }),
    ...(person === undefined ? {} : { person }),
    ...(options.actor === undefined ? {} : { actor: options.actor }),
    ...(idempotencyKey === undefined
      ? {}
      : {
          idempotency: {
            key: idempotencyKey,
            scope: options.idempotencyScope ?? 'POST /test',
            fingerprint: fingerprintOf(options.body),
          },
        }),
  };
}

const personWith = (role: Person['role']): Person => ({
  userId: randomUUID(),
  role,
  sellerId: role === 'seller' ? randomUUID() : null,
});

/** Requests may lead to this machine, where the stand-ins of providers are, and to public addresses. */
export const localEgress = (): Egress & EgressOfStores => createEgress({ allowHosts: '127.0.0.1,::1' });

/** A log for tests. Its warnings are printed if the test fails. With `TEST_LOG_LEVEL` it prints at once. */
export function silentLog(): Log {
  const level = process.env.TEST_LOG_LEVEL;
  if (level) return createLog({ service: 'test', level, format: 'json' });
  return createLog({ service: 'test', level: 'warn', format: 'json', to: { write: keepLine } });
}
