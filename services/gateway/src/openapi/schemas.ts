import type { TSchema } from '@sinclair/typebox';

/** A JSON Schema of the API document. */
export type DocumentSchema = { readonly [keyword: string]: unknown };

/** The characters that trimming removes, listed because `\s` means a different set in every regex dialect. */
const spaces = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const textPattern = `^[^\\u0000]*[^\\u0000${spaces}][^\\u0000]*$`;

/** What is accepted in every country. */
const phonePattern = '^\\+?[ (]*[1-9](?:[ ()-]*[0-9]){7,14}$';

/** Converts the contracts' schemas for the document, and collects the named ones. */
export type Schemas = {
  /** The converted schema, or a reference if the schema has a name (its `title`). */
  of(schema: TSchema): DocumentSchema;
  /** The named schemas so far. */
  readonly components: Readonly<Record<string, DocumentSchema>>;
};

/**
 * The document has the same schemas that validate requests. Only our own keywords become JSON Schema: `text` (trimmed,
 * not empty, without NUL) becomes a pattern with at least one character that is not white space. A phone in a request
 * may have separators, because the gateway removes them before validation.
 */
export function createSchemas(): Schemas {
  const components: Record<string, DocumentSchema> = {};

  function of(schema: TSchema): DocumentSchema {
    const name = typeof schema.title === 'string' ? schema.title : undefined;
    if (name === undefined) return converted(schema);
    components[name] ??= converted(schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  function converted(schema: TSchema): DocumentSchema {
    const result: Record<string, unknown> = {};
    // `Object.entries` skips TypeBox's own keys, which are symbols.
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'text') result.pattern = textPattern;
      else if (keyword === 'properties' || keyword === 'patternProperties')
        result[keyword] = mapped(value as Record<string, TSchema>);
      else if (keyword === 'items') result[keyword] = of(value as TSchema);
      else if (keyword === 'anyOf') result[keyword] = (value as TSchema[]).map(of);
      else if (keyword === 'format' && value === 'date-or-date-time')
        result.anyOf = [{ format: 'date' }, { format: 'date-time' }];
      else if (keyword === 'format' && value === 'phone') result.pattern = phonePattern;
      else if (keyword !== 'title') result[keyword] = value;
    }
    return result;
  }

  const mapped = (properties: Record<string, TSchema>) =>
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, of(property)]));

  return { of, components };
}
