import { namedSchemaOf } from '@mostrador/contracts';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Schemas } from './schemas.ts';

/** The members of an object's schema, by name. */
export const members = (schema: TObject | undefined): [string, TSchema][] => Object.entries(schema?.properties ?? {});

type Place = { readonly in: 'path' | 'query'; readonly name: string; readonly required: boolean };

/** A parameter of an operation in the document. A list of words is an array, separated by commas. */
export function parameter(place: Place, schema: TSchema, schemas: Schemas, example?: unknown) {
  const { description: own, ...converted } = schemas.of(schema);
  const text = own ?? namedSchemaOf(schema).description;
  const { $ref, default: value } = converted;
  // A default beside the reference would make the parameter `Any` in Python.
  const description = [text, $ref && value !== undefined && `Default: \`${value}\`.`].filter(Boolean).join(' ');
  const start = { ...place, ...(description && { description }) };
  const shownAs = (value: unknown) => (value === undefined ? {} : { example: value });
  if (schema.valuesOf === undefined) return { ...start, schema: $ref ? { $ref } : converted, ...shownAs(example) };
  const { description: _, ...items } = schemas.of(schema.valuesOf);
  const values = typeof example === 'string' ? example.split(',') : undefined;
  return { ...start, style: 'form', explode: false, schema: { type: 'array', items, minItems: 1 }, ...shownAs(values) };
}
