/** Whole hours from UTC to the zone of the test's stores. There it is about noon, so that no test goes on past midnight. */
const offset = 12 - new Date().getUTCHours();

/** The signs of these names are the other way round. */
export const timezone = offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;

/** The day in the zone of the stores that is `days` from now. */
export const dayIn = (days: number): string =>
  new Date(Date.now() + offset * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);

/** An hour of that day. */
export const hourIn = (days: number, hour: number): string =>
  new Date(Date.parse(`${dayIn(days)}T00:00:00Z`) + (hour - offset) * 3_600_000).toISOString();
