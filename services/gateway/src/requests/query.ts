import type { TObject } from '@sinclair/typebox';

/** A query string as Fastify parses it: a parameter that came twice has several values. */
export type RawQuery = Record<string, string | string[]>;

/** Reads a raw query: the parameters to validate, and the names of those that were given more than once. */
export type ReadQuery = (raw: RawQuery) => {
  readonly query: Record<string, unknown>;
  readonly repeated: readonly string[];
};

/**
 * Makes the reader for a query schema. A query holds nothing but text, so a parameter that is to be an integer is read
 * from `-?[0-9]+` and nothing looser; anything else stays text, and validation says what it should have been.
 */
export function queryReader(schema: TObject | undefined): ReadQuery {
  const integers = new Set(
    Object.entries(schema?.properties ?? {})
      .filter(([, property]) => property.type === 'integer')
      .map(([name]) => name),
  );
  return (raw) => {
    const query: Record<string, unknown> = {};
    const repeated: string[] = [];
    for (const [name, value] of Object.entries(raw)) {
      if (typeof value !== 'string') repeated.push(name);
      else set(query, name, integers.has(name) && /^-?[0-9]+$/.test(value) ? Number(value) : value);
    }
    return { query, repeated };
  };
}

/** As an own member whatever its name is: `__proto__` is an unknown parameter like any other. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
