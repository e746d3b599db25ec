import { listStores, type StoreRecord } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { shown, table } from '../terminal.ts';

export const listStoresCommand = (admin: Admin): Command =>
  verb('list', 'List the stores', ['store list', 'store list --json']).action(async (options: { json?: boolean }) => {
    const stores = await allStores(admin);
    printResult(admin, options, { stores }, () =>
      table(
        ['ID', 'NAME', 'TIER', 'REQUESTS/MIN', 'TIME ZONE', 'LOCALE', 'COUNTRY'],
        stores.map((store) => [
          store.id,
          shown(store.name),
          store.tier,
          String(store.requests_per_minute),
          store.timezone,
          store.locale,
          store.country ?? 'none',
        ]),
      ),
    );
  });

/** Every store, page by page. */
export async function allStores(admin: Admin): Promise<StoreRecord[]> {
  const stores: StoreRecord[] = [];
  for (;;) {
    const last = stores.at(-1);
    const page = await admin.platform.call(listStores, { body: last ? { after_id: last.id } : {} });
    stores.push(...page.stores);
    if (!page.more) return stores;
  }
}
