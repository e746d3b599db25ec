import { fullTime, relativeTime, shortDate } from './time.ts';

/** A moment as a date, or relative to now. A hover shows it in full. */
export const Moment = ({ at, relative = false }: { at: string; relative?: boolean }) => (
  <time dateTime={at} title={fullTime(at)}>
    {relative ? relativeTime(at, Date.now()) : shortDate(at)}
  </time>
);
