import { randomUUID } from 'node:crypto';
import { createLog, type Log } from '@mostrador/kit/process/log';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';

export type TestContextOptions = {
  readonly storeId?: string;
  readonly requestId?: string;
  /** From now. 10 s. */
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  /** Scope of the key. `POST /test`. */
  readonly idempotencyScope?: string;
  /** The body that the key's fingerprint is of. */
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly log?: Log;
};

/** The context of a request in a test: a store of its own unless one is given, and a log that says nothing. */
export function testContext(options: TestContextOptions = {}): StoreContext {
  const { timeoutMs = 10_000, idempotencyKey } = options;
  return {
    requestId: options.requestId ?? randomUUID(),
    storeId: options.storeId ?? randomUUID(),
    deadline: Date.now() + timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    log: options.log ?? silentLog(),
    ...(options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch }),
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

/** A log for tests. `TEST_LOG_LEVEL` makes it talk. */
export function silentLog(): Log {
  return createLog({ service: 'test', level: process.env.TEST_LOG_LEVEL ?? 'silent', format: 'json' });
}
