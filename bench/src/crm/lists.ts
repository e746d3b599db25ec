import type { Target } from '../appointments/stage.ts';
import type { Filled } from './fill.ts';

/** One list request: a filter and an order, with its name in the tables. */
export type List = {
  readonly name: string;
  /** The path of the first page. The platform counts the total for it. */
  readonly first: string;
  /** The path of the second page, from `Link`. The cursor carries the total, so the platform only reads rows. */
  readonly next?: string;
};

export async function listsOf(target: Target, { sellerId, phone, middle, recent }: Filled): Promise<List[]> {
  const queries: Record<string, Record<string, string>> = {
    'no filter': {},
    status: { status: 'pending' },
    seller_id: { seller_id: sellerId },
    'status and seller_id': { status: 'pending', seller_id: sellerId },
    'seller_id=none': { seller_id: 'none' },
    'created_after, half': { created_after: middle },
    'updated_after, a fifth': { updated_after: recent },
    'updated_after, a fifth, by change': { updated_after: recent, sort: 'updated_at' },
    'status, latest change first': { status: 'lost', sort: '-updated_at' },
    customer_phone: { customer_phone: phone },
  };
  const lists: List[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const first = pathOf(target, query);
    lists.push({ name, first, next: (await read(target, first)).next });
  }
  return lists;
}

type Row = { readonly id: string; readonly created_at: string };

/** The path, with a cursor, of the page after this many pages, and the last row before it. */
export async function pageAfter(target: Target, pages: number): Promise<{ page: string; last: Row }> {
  const { next, rows } = await read(target, pathOf(target, { page: String(pages) }));
  const last = rows.at(-1);
  if (next === undefined || last === undefined) throw new Error(`the list has no page after ${pages}`);
  return { page: next, last };
}

const pathOf = ({ path }: Target, query: Record<string, string>): string => {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** The rows of a page, and the path of the next one. */
async function read({ origin, headers }: Target, path: string): Promise<{ rows: readonly Row[]; next?: string }> {
  const response = await fetch(`${origin}${path}`, { headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  const { data } = (await response.json()) as { data: readonly Row[] };
  const next = nextPathOf(response);
  return next === undefined ? { rows: data } : { rows: data, next };
}

/** The path of the next page, from `Link`. */
export function nextPathOf({ headers }: Response): string | undefined {
  const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined) return undefined;
  const { pathname, search } = new URL(link);
  return pathname + search;
}
