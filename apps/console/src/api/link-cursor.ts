/** The `cursor` of the next page, from the header `Link` of a list. */
export function cursorOf(link: string | null): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return (next && new URL(next, 'http://localhost').searchParams.get('cursor')) || undefined;
}
