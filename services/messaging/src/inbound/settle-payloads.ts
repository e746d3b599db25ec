import { isUniqueViolation } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { markFailed, markProcessed, type PayloadRow, putBehind, putOff } from './inbound.repository.ts';
import { NoPhone, noPhone } from './no-phone.ts';

const mostAttempts = 20;
const limitMs = 5_000;
const severity = { unreadable: 0, behind: 1, later: 2, failed: 3 } as const;

/**
 * Why a payload is not processed: an earlier one is open, a dependency was missing (`later`), or it failed itself. What
 * is `unreadable` stays so. Its payload fails without a retry, once the rest of it is processed.
 */
export type Trouble =
  | { readonly kind: 'behind' | 'later' }
  | { readonly kind: 'failed' | 'unreadable'; readonly code: string };

/** Collects why payloads are not processed. The most severe reason of each counts. */
export function noteTroubles(): {
  readonly troubles: ReadonlyMap<string, Trouble>;
  note(payload: Pick<PayloadRow, 'id'>, trouble: Trouble): void;
} {
  const troubles = new Map<string, Trouble>();
  return {
    troubles,
    note({ id }, trouble) {
      const known = troubles.get(id);
      if (!known || severity[trouble.kind] > severity[known.kind]) troubles.set(id, trouble);
    },
  };
}

const temporary: ReadonlySet<string> = new Set(['service_unavailable', 'upstream_timeout', 'lead_busy']);

export function troubleOf(error: unknown): Trouble {
  // Another transaction stored this channel id at the same moment. The retry finds it.
  if (isUniqueViolation(error)) return { kind: 'later' };
  if (error instanceof NoPhone) return { kind: 'failed', code: noPhone };
  if (!(error instanceof AppError)) return { kind: 'failed', code: 'failed' };
  const { code } = error;
  return temporary.has(code) ? { kind: 'later' } : { kind: 'failed', code };
}

/** Records what became of payloads. */
export async function settlePayloads(
  { database, log }: Pick<Dependencies, 'database'> & { readonly log: Log },
  storeId: string,
  payloads: readonly PayloadRow[],
  troubles: ReadonlyMap<string, Trouble>,
): Promise<void> {
  const ids = (kind: Trouble['kind'] | undefined) =>
    payloads.map(({ id }) => id).filter((id) => troubles.get(id)?.kind === kind);
  const failed = payloads.flatMap(({ id, attempts }) => {
    const trouble = troubles.get(id);
    if (!trouble || !('code' in trouble)) return [];
    return [{ id, attempts, code: trouble.code, mostAttempts: trouble.kind === 'unreadable' ? 1 : mostAttempts }];
  });
  if (payloads.length === 0) return;
  const [done, later, behind] = [ids(undefined), ids('later'), ids('behind')];
  await database.write({ storeId, deadline: Date.now() + limitMs }, async (sql) => {
    if (done.length > 0) await markProcessed(sql, storeId, done);
    if (later.length > 0) await putOff(sql, storeId, later);
    if (behind.length > 0) await putBehind(sql, storeId, behind);
    for (const { id, ...failure } of failed) await markFailed(sql, storeId, id, failure);
  });
  for (const { id, attempts, code } of failed) {
    log.error({ store_id: storeId, payload: id, attempts: attempts + 1, code }, 'processing an inbound payload failed');
  }
}
