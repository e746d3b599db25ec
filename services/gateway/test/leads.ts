import { randomUUID } from 'node:crypto';
import { type Lead, listLeads, type RequestOf } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { reply } from '@mostrador/kit/rpc/server';
import type { TestGateway } from './gateway.ts';

type Query = RequestOf<typeof listLeads>['query'];

/** Stands for the list of crm, with leads in memory. */
export async function serveLeads(gateway: TestGateway) {
  const rows: Lead[] = [];
  /** The queries of the pages that were read. */
  const asked: Query[] = [];
  const state = { isDown: false };
  /** Runs before each page. A test can make it throw. */
  const before: { page?: (query: Query) => void } = {};
  await gateway.serve(
    'crm',
    { listLeads },
    {
      listLeads: async ({ storeId }, { query }) => {
        asked.push(query);
        if (state.isDown) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
        before.page?.(query);
        const { cursor = '0', limit = 50, page = 1, status } = query;
        const own = rows.filter((row) => row.store_id === storeId && (!status || row.status === status));
        const [from, to] = [Number(cursor), Number(cursor) + limit];
        const nextCursor = to < own.length ? String(to) : undefined;
        return reply({ data: own.slice(from, to), total: own.length, page, limit }, { nextCursor });
      },
    },
  );
  return {
    rows,
    asked,
    state,
    before,
    /** As at the beginning. */
    reset(): void {
      rows.length = 0;
      asked.length = 0;
      state.isDown = false;
      before.page = undefined;
    },
    /** Adds this number of leads. */
    fill(storeId: string, count: number, content: Partial<Lead> = {}): Lead[] {
      const added = Array.from({ length: count }, () => ({ ...leadOf(storeId), ...content }));
      rows.push(...added);
      return added;
    },
  };
}

export type TestLeads = Awaited<ReturnType<typeof serveLeads>>;

const leadOf = (storeId: string): Lead => ({
  ...{ id: randomUUID(), store_id: storeId, name: 'Ana', customer_phone: '5511961234567', status: 'pending' as const },
  ...{ seller_id: null, external_id: null, email: null, tags: [], metadata: {}, interaction_count: 0 },
  ...{ ai_paused_until: null, created_at: '2026-11-21T00:00:00.000Z', updated_at: '2026-11-21T00:00:00.000Z' },
});
