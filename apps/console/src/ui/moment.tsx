import { useQuery } from '@tanstack/react-query';
import { storeQuery } from '../api/queries.ts';
import { getLocale } from '../paraglide/runtime.js';
import { useZone } from './store-zone.tsx';
import { comingTime, fullTime, logTime, relativeTime, shortDate } from './time.ts';
import { useNow } from './use-now.ts';

const forms = {
  date: (at: string, _: number, zone: string) => shortDate(at, zone),
  relative: (at: string, now: number) => relativeTime(at, now),
  coming: (at: string, now: number) => comingTime(at, now),
  log: (at: string, _: number, zone: string) => logTime(at, zone),
};

type MomentProps = {
  readonly at: string;
  /** `5 minutes ago`, instead of a date. */
  readonly relative?: boolean;
  /** Another form. `coming`: relative, for what is yet to be done. `log`: to the second. */
  readonly as?: keyof typeof forms;
};

/** A moment as a date, or relative to now. A hover shows it in full. */
export function Moment({ at, relative = false, as = relative ? 'relative' : 'date' }: MomentProps) {
  const zone = useZone();
  const now = useNow();
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {forms[as](at, now, zone)}
    </time>
  );
}

/** A day and a time on the clock of the store, in the language of the person. */
const storeTime = (at: string, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat(getLocale(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(new Date(at).getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  }).format(Date.parse(at));

/** When something takes place: the store's clock counts, wherever the person is. */
export function StoreTime({ at }: { at: string }) {
  const { data: store } = useQuery(storeQuery);
  return (
    <time dateTime={at} title={store?.timezone}>
      {store && storeTime(at, store.timezone)}
    </time>
  );
}
