/** The id is made a moment before or after the time of an entry is read. */
const slackMs = 1000;

/** The first and the last id (a UUID of version 7) that an entry of this moment can have. */
export function idsAround(moment: Date): { readonly first: string; readonly last: string } {
  const at = (ms: number) => {
    const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
      .toString(16)
      .padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}`;
  };
  const ms = moment.getTime();
  return {
    first: `${at(ms - slackMs)}-0000-0000-000000000000`,
    last: `${at(ms + slackMs)}-ffff-ffff-ffffffffffff`,
  };
}
