import { maxWaitingStores, type OperatorKind, operatorWaitingOperations } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Admin, existingStore } from '../admin.ts';
import { serviceOf } from './waiting-options.ts';

/** The stores in which some of a kind may wait: the one of `--store`, or all of them, page by page. */
export async function storesWaiting(
  admin: Admin,
  kind: OperatorKind,
  store: string | undefined,
): Promise<readonly string[]> {
  if (store !== undefined) return [(await existingStore(admin, store)).id];
  const { stores } = operatorWaitingOperations[serviceOf(kind)];
  const found: string[] = [];
  for (;;) {
    const { store_ids } = await admin.platform.call(stores, { body: { kind, after: found.at(-1) ?? null } });
    found.push(...store_ids);
    if (store_ids.length < maxWaitingStores) return found;
  }
}

/** Whether the error says that a service does not answer now. The work on the others goes on. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && ['service_unavailable', 'upstream_timeout'].includes(error.code);
