import { type ApiDocument, type DocumentedOperation, eventSchemasOf, operationsOf, problemsOf } from '../document.ts';

const camelCase = (words: string): string => words.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

/** The document as the types of the TypeScript SDK show it: an `Event` is one of the feed's, and its `type` tells which. */
export function typescriptDocument(document: ApiDocument): object {
  const { components } = document;
  const inFeed = eventSchemasOf(document).filter(({ type }) => components.schemas.EventType?.enum?.includes(type));
  const Event = { oneOf: inFeed.map(({ schema }) => ({ $ref: `#/components/schemas/${schema}` })) };
  return { ...document, components: { ...components, schemas: { ...components.schemas, Event } } };
}

/** `resources.ts`: how to request each operation, by resource. */
export function resourcesSource(document: ApiDocument): string {
  const byResource = Map.groupBy(operationsOf(document), ({ operationId }) => operationId.split('.')[0] ?? '');
  const resources = [...byResource].map(
    ([resource, operations]) => `  ${camelCase(resource)}: {\n${operations.map(routeSource).join('')}  },\n`,
  );
  return `import type { Route } from '../types.ts';
import type { operations } from './schema.ts';

export const resources = {
${resources.join('')}};
`;
}

function routeSource(operation: DocumentedOperation): string {
  const { operationId, method, path, summary, parameters = [], requestBody } = operation;
  const hasQuery = parameters.some((parameter) => parameter.in === 'query');
  if (hasQuery && requestBody) throw new Error(`${operationId} has a query and a body: the SDKs need a rule for that`);
  const route = { method: method.toUpperCase(), path, input: requestBody ? 'body' : 'query' };
  return `    /** ${summary}: \`${route.method} ${path}\`. */
    ${camelCase(operationId.split('.')[1] ?? '')}: ${JSON.stringify(route)} as Route<operations['${operationId}']>,
`;
}

/** `problems.ts`: the problem document of each code. */
export function problemsSource(document: ApiDocument): string {
  const problems = problemsOf(document).map(({ code, schema, certain }) => {
    const members = certain.map((member) => `'${member}'`).join(' | ');
    return `Of<'${code}', '${schema}'${members && `, ${members}`}>`;
  });
  return `import type { components } from './schema.ts';

type Schemas = components['schemas'];
type Of<Code extends string, Name extends keyof Schemas, Certain extends keyof Schemas[Name] = never> =
  Schemas[Name] & { code: Code } & Required<Pick<Schemas[Name], Certain>>;

export type Problem = Schemas['Problem'];
export type ProblemOf =
${problems.map((problem) => `  | ${problem}\n`).join('')};
`;
}
