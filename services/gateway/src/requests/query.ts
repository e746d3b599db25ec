import type { TObject } from '@sinclair/typebox';

/** A query string as Fastify parses it: a repeated parameter has an array of values. */
export type RawQuery = Record<string, string | string[]>;

/** Converts a raw query to the parameters to validate and the names of repeated parameters. */
export type ReadQuery = (raw: RawQuery) => {
  readonly query: Record<string, unknown>;
  readonly repeated: readonly string[];
};

/**
 * Makes the reader for a query schema. It converts an integer parameter only if the text matches `-?[0-9]+`, and a
 * boolean one only from `true` and `false`. Any other text stays a text, and validation reports it.
 */
export function queryReader(schema: TObject | undefined): ReadQuery {
  const ofType = (type: string) =>
    new Set(
      Object.entries(schema?.properties ?? {})
        .filter(([, property]) => property.type === type)
        .map(([name]) => name),
    );
  const [integers, booleans] = [ofType('integer'), ofType('boolean')];
  const converted = (name: string, text: string) => {
    if (integers.has(name) && /^-?[0-9]+$/.test(text)) return Number(text);
    return booleans.has(name) && /^(true|false)$/.test(text) ? text === 'true' : text;
  };
  return (raw) => {
    const query: Record<string, unknown> = {};
    const repeated: string[] = [];
    for (const [name, value] of Object.entries(raw)) {
      if (typeof value !== 'string') repeated.push(name);
      else set(query, name, converted(name, value));
    }
    return { query, repeated };
  };
}

/** Sets an own property under any name, so that `__proto__` is an unknown parameter like any other. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
