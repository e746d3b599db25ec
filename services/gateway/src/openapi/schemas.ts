import { namedSchemaOf, trimmedCharacters } from '@mostrador/contracts';
import type { TSchema } from '@sinclair/typebox';

/** A JSON Schema of the API document. */
export type DocumentSchema = { readonly [keyword: string]: unknown };

const textPattern = `^[^\\u0000]*[^\\u0000${trimmedCharacters}][^\\u0000]*$`;

/** What is accepted in every country. */
const phonePattern = '^\\+?[ (]*[1-9](?:[ ()-]*[0-9]){7,14}$';

/** A date, or a date-time with an offset. Two formats in `anyOf` would be a type that generators cannot name. */
const momentPattern =
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '([Tt]([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$';

/** Converts the contracts' schemas for the document, and collects the named ones. */
export type Schemas = {
  /** The converted schema, or a reference if the schema has a name: its `title`, otherwise `name`. */
  of(schema: TSchema, name?: string): DocumentSchema;
  /** The named schemas so far. */
  readonly components: Readonly<Record<string, DocumentSchema>>;
};

/**
 * The document has the same schemas that validate requests, in the form that client generators understand:
 *
 * - Our own keywords become JSON Schema: `text` (trimmed, not empty, without NUL) becomes a pattern with at least one
 *   character that is not white space. A phone in a request may have separators, because the gateway removes them
 *   before validation.
 * - A named schema is defined once. A variant of it (`Nullable`, `Described`) refers to it: a named schema with `null`
 *   in its `type` would lose the name or the null.
 * - `const: true` becomes a plain boolean, because generators make an enum of strings of it.
 * - A constant of an enum has the name of the enum in front: the constants of all enums share one namespace in Go.
 * - The default of a member stands in its description: openapi-typescript would make the member required.
 */
export function createSchemas(): Schemas {
  const components: Record<string, DocumentSchema> = {};

  function of(schema: TSchema, name?: string): DocumentSchema {
    const named = namedSchemaOf(schema);
    const title: string | undefined = named.title ?? name;
    if (title === undefined) return converted(schema);
    define(title, named);
    const reference = { $ref: `#/components/schemas/${title}` };
    const own = annotations.filter((keyword) => schema[keyword] !== named[keyword]);
    const isNullable = schema.type !== named.type;
    if (own.length === 0 && !isNullable) return reference;
    return {
      ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...Object.fromEntries(own.map((keyword) => [keyword, schema[keyword]])),
    };
  }

  function define(title: string, schema: TSchema): void {
    // Generators give every member of its type such a default, with a name for the constant that not all of them know.
    if (schema.default !== undefined) throw new Error(`the default of ${title} belongs to the member that has it`);
    const definition = converted(schema);
    components[title] ??= definition;
    if (JSON.stringify(components[title]) !== JSON.stringify(definition))
      throw new Error(`two schemas of the API document are named ${title}`);
  }

  function converted(schema: TSchema): DocumentSchema {
    const result: Record<string, unknown> = {};
    // `Object.entries` skips TypeBox's own keys and ours, which are symbols.
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'text') result.pattern = textPattern;
      else if (keyword === 'properties') result[keyword] = mapped(value as Record<string, TSchema>);
      else if (keyword === 'additionalProperties' && typeof value === 'object')
        result[keyword] = mapOf(value as TSchema);
      else if (keyword === 'items') result[keyword] = of(value as TSchema);
      else if (keyword === 'anyOf') result[keyword] = (value as TSchema[]).map((each) => of(each));
      else if (keyword === 'format' && value === 'date-or-date-time') result.pattern = momentPattern;
      else if (keyword === 'format' && value === 'phone') result.pattern = phonePattern;
      else if (keyword === 'const' && typeof value === 'boolean') result.description ??= `Always \`${value}\`.`;
      else if (keyword !== 'title' && keyword !== 'fault') result[keyword] = value;
    }
    const words = schema.enum as readonly string[] | undefined;
    if (words && schema.title) result['x-enum-varnames'] = words.map((word) => constantOf(schema.title ?? '', word));
    return result;
  }

  /** The schema of a map's values; `true` for any value. */
  const mapOf = (values: TSchema): DocumentSchema | true => (Object.keys(values).length === 0 ? true : of(values));

  const mapped = (properties: Record<string, TSchema>) =>
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, member(property)]));

  function member(property: TSchema): DocumentSchema {
    const { default: value, ...rest } = of(property);
    if (value === undefined) return rest;
    const text = rest.description ?? namedSchemaOf(property).description;
    return { ...rest, description: [text, `Default: \`${value}\`.`].filter(Boolean).join(' ') };
  }

  return { of, components };
}

/** The constant of a word of an enum, such as `LEAD_SORT_CREATED_AT_DESC` for `-created_at`. */
const constantOf = (title: string, word: string): string =>
  `${title.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')}_${word.replace(/^-(.*)/, '$1_DESC')}`
    .replaceAll(/\W/g, '_')
    .toUpperCase();

const annotations = ['description', 'default'] as const;
