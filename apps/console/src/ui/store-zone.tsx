import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { storeQuery } from '../api/queries.ts';
import { ownZone } from './clock.ts';

const ZoneContext = createContext<string | undefined>(undefined);

/** The zone, unless this browser does not know it: it may be younger than the browser. */
function known(zone: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone && zone;
  } catch {
    return undefined;
  }
}

/** Within it every time is shown on the clock of the store. */
export function StoreZone({ children }: { children: ReactNode }) {
  const { data: store } = useQuery(storeQuery);
  return <ZoneContext value={known(store?.timezone)}>{children}</ZoneContext>;
}

/** The time zone in which the page shows every time: that of the store. Until it is known, that of the browser. */
export const useZone = (): string => use(ZoneContext) ?? ownZone();
