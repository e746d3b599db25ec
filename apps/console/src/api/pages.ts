import { dataOf } from './platform.ts';

/** What a call that lists rows gives. */
export type ListOutcome<Row> = { data?: { data: Row[]; total?: number }; error?: unknown; response: Response };

export type ListPage<Row> = {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly next: string | undefined;
};

/** One page of a list of the API. `next` is the `cursor` of the page after it, from the header `Link`. */
export async function pageOf<Row>(call: Promise<ListOutcome<Row>>): Promise<ListPage<Row>> {
  const { data, total } = await dataOf(call);
  const { response } = await call;
  return { rows: data, total, next: cursorOf(response.headers.get('link')) };
}

/** Reads all pages of a list, and stops after `limit` rows. */
export async function allOf<Row>(
  read: (cursor: string | undefined) => Promise<ListPage<Row>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== undefined && rows.length < limit);
  return rows;
}

/** The `cursor` of the next page, from the header `Link` of a list. */
export function cursorOf(link: string | null): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return (next && new URL(next, 'http://localhost').searchParams.get('cursor')) || undefined;
}
