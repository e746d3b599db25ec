import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { createApiDocument } from './document.ts';

type Schema = { description?: string; $ref?: string; anyOf?: Schema[]; properties?: Record<string, Schema> };
type Parameter = { name: string; description?: string };

const document = createApiDocument(routes, { publicUrl: 'https://api.example.com' }) as unknown as {
  paths: Record<string, Record<string, { summary?: string; parameters?: Parameter[] }>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { description?: string }> };
  tags: { name: string; description: string }[];
  info: { contact: object };
};
const { schemas } = document.components;

/** A schema is described by its own text, or by that of the named schema to which it refers. */
function isDescribed({ description, $ref, anyOf }: Schema): boolean {
  if (description) return true;
  const named = $ref ?? anyOf?.find((each) => each.$ref)?.$ref;
  const schema = named && schemas[named.split('/').at(-1) ?? ''];
  return schema ? isDescribed(schema) : false;
}

test('every schema and every property of it is described', () => {
  const silent = Object.entries(schemas).flatMap(([name, schema]) => [
    ...(isDescribed(schema) ? [] : [name]),
    ...Object.entries(schema.properties ?? {}).flatMap(([property, each]) =>
      isDescribed(each) ? [] : [`${name}.${property}`],
    ),
  ]);
  expect(silent).toEqual([]);
  expect(isDescribed({ $ref: '#/components/schemas/Nothing' })).toBe(false);
});

test('every operation has a summary, and every parameter, header and tag a description', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  expect(operations.length).toBeGreaterThanOrEqual(routes.length);
  expect(operations.filter(({ summary }) => !summary).map(({ name }) => name)).toEqual([]);
  const parameters = operations.flatMap(({ name, parameters = [] }) =>
    parameters.map((each) => ({ at: name, ...each })),
  );
  expect(parameters.filter(({ description }) => !description).map(({ at, name }) => `${at} ${name}`)).toEqual([]);
  expect(Object.values(document.components.headers).every(({ description }) => description)).toBe(true);
  expect(document.tags.every(({ description }) => description)).toBe(true);
  expect(document.info.contact).toEqual({ name: expect.any(String), url: expect.any(String) });
});

test('an extension is a badge, and no text speaks of a specification that the reader does not have', () => {
  const extensions = routes.filter(({ operation }) => operation.extension);
  expect(extensions.length).toBeGreaterThan(0);
  for (const { path, method } of extensions) {
    const described = document.paths[documentedPath(path)]?.[method.toLowerCase()];
    expect(described).toMatchObject({ 'x-badges': [{ name: 'Extension' }] });
  }
  const words = JSON.stringify(document).match(
    /\*\*Extension[.].{0,40}|.{40}(\(an extension\)|beyond the specification)/gi,
  );
  expect(words).toBeNull();
});
