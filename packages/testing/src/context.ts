import { randomUUID } from 'node:crypto';
import { createEgress, type Egress } from '@mostrador/kit/clients/egress';
import { createLog, type Log } from '@mostrador/kit/process/log';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';

export type TestContextOptions = {
  readonly storeId?: string;
  readonly requestId?: string;
  /** The deadline, from now. Default: 10 s. */
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  /** The key's scope. Default: `POST /test`. */
  readonly idempotencyScope?: string;
  /** The body for the key's fingerprint. */
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly log?: Log;
};

/** The context of a request in a test. Defaults: a new store and a silent log. */
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

/** Requests may lead to this machine, where the stand-ins of providers are, and to public addresses. */
export const localEgress = (): Egress => createEgress({ allowHosts: '127.0.0.1,::1' });

/** A log for tests. It is silent unless `TEST_LOG_LEVEL` sets a level. */
export function silentLog(): Log {
  return createLog({ service: 'test', level: process.env.TEST_LOG_LEVEL ?? 'silent', format: 'json' });
}
