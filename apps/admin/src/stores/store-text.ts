import type { StoreRecord } from '@mostrador/contracts';
import { record, shown } from '../terminal.ts';

/** A store as a person reads it. */
export const storeRecord = (store: StoreRecord): string =>
  record({
    id: store.id,
    name: shown(store.name),
    tier: store.tier,
    'requests/min': store.requests_per_minute,
    'time zone': store.timezone,
    locale: store.locale,
    country: store.country ?? 'none',
    created: store.created_at,
  });
