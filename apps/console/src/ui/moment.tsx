import { useQuery } from '@tanstack/react-query';
import { storeQuery } from '../api/queries.ts';
import { getLocale } from '../paraglide/runtime.js';
import { fullTime, relativeTime, shortDate } from './time.ts';

/** A moment as a date, or relative to now. A hover shows it in full. */
export const Moment = ({ at, relative = false }: { at: string; relative?: boolean }) => (
  <time dateTime={at} title={fullTime(at)}>
    {relative ? relativeTime(at, Date.now()) : shortDate(at)}
  </time>
);

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
