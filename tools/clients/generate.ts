import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Workplace } from './client.ts';
import { run } from './run.ts';

/** One run of openapi-generator for all of its clients: starting Java takes longer than generating. */
export async function runOpenapiGenerator(
  folder: string,
  python: string,
  clients: readonly { readonly client: Client; readonly place: Workplace }[],
): Promise<void> {
  const configurations = clients.flatMap(({ client: { name, generator }, place }) => {
    if (!generator) return [];
    const file = join(folder, `${name}.json`);
    const none = { apiTests: 'false', modelTests: 'false', apiDocs: 'false', modelDocs: 'false' };
    const configuration = {
      generatorName: generator,
      inputSpec: place.document,
      outputDir: place.folder,
      globalProperties: none,
    };
    writeFileSync(file, JSON.stringify(configuration));
    return [file];
  });
  if (configurations.length === 0) return;
  await run(join(python, 'openapi-generator-cli'), ['batch', '--fail-fast', '--threads', '2', ...configurations], {
    cwd: folder,
  });
}

/** The part of the API document that decides what models there are. */
export type ApiDocument = {
  readonly components: { readonly schemas: Readonly<Record<string, { properties?: object; enum?: unknown }>> };
};

/** The models that a client has without a named schema of the document, and those that it lacks. */
export function wrongModels({ models }: Client, { folder }: Workplace, document: ApiDocument): string[] {
  if (!models) return [];
  // A map is a map of the language.
  const schemas = Object.entries(document.components.schemas).flatMap(([name, { properties, enum: words }]) =>
    properties || words ? [name] : [],
  );
  const made = readdirSync(join(folder, models.folder)).flatMap((file) => models.file.exec(file)?.[1] ?? []);
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase();
  const [wanted, found] = [new Set(schemas.map(plain)), new Set(made.map(plain))];
  return [
    ...made.filter((name) => !wanted.has(plain(name))).map((name) => `${name} comes from a schema without a name`),
    ...schemas.filter((name) => !found.has(plain(name))).map((name) => `there is no model for ${name}`),
  ];
}
