import { type ApiDocument, type DocumentedOperation, operationsOf } from '../document.ts';

const camelCase = (words: string): string => words.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

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

/**
 * `problems.ts`: the problem document of each code. The schemas of the document tell the members of a status, of which a
 * code has some for certain: those of its example.
 */
export function problemsSource({ components }: ApiDocument): string {
  const common = Object.keys(components.schemas.Problem?.properties ?? {});
  const problems = Object.values(components.responses).flatMap(({ content }) => {
    const { schema, examples = {} } = content['application/problem+json'] ?? { schema: {} };
    const name = schema.$ref?.split('/').at(-1) ?? '';
    return Object.entries(examples).map(([code, { value }]) => {
      const certain = Object.keys(value).filter((member) => !common.includes(member));
      return `Of<'${code}', '${name}'${certain.length > 0 ? `, ${certain.map((member) => `'${member}'`).join(' | ')}` : ''}>`;
    });
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

/** The examples of a README as one program: its code blocks of a language, from top to bottom. */
export const examplesOf = (readme: string, language: string): string =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code).join('\n');
