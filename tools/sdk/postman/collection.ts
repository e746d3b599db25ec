import { type ApiDocument, type DocumentedOperation, operationsOf } from '../document.ts';

type Item = {
  readonly name: string;
  readonly operation: DocumentedOperation;
  readonly request: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] } & Readonly<Record<string, unknown>>;
    readonly description: string;
  };
  readonly event: object[];
};

/**
 * A Postman collection (format 2.1) with every operation, in a folder for each tag. The key and the ids of paths are
 * variables. What lists or creates a resource keeps its id, and each request has a test.
 */
export function postmanCollection(document: ApiDocument) {
  const operations = operationsOf(document);
  const paths = new Set(operations.map(({ path }) => path));
  const ids = new Set(operations.flatMap(({ path }) => parametersOf(path)));
  const items = operations.map((operation) => itemOf(operation, paths, ids));
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: Object.entries({ in: 'header', key: 'X-API-Key', value: '{{apiKey}}' }).map(([key, value]) => ({
        key,
        value,
      })),
    },
    variable: [
      { key: 'baseUrl', value: document.servers[0]?.url },
      ...['apiKey', ...ids].map((key) => ({ key, value: '' })),
    ],
    item: document.tags.flatMap(({ name, description }) => {
      const ofTag = items.filter(({ operation }) => operation.tags.includes(name));
      return ofTag.length > 0 ? [{ name, description, item: ofTag.map(({ operation: _, ...item }) => item) }] : [];
    }),
  };
}

const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function itemOf(operation: DocumentedOperation, paths: ReadonlySet<string>, ids: ReadonlySet<string>): Item {
  const { method, path, summary, description, parameters = [], requestBody } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const example = exampleOf(operation);
  const body =
    example &&
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, reference(name, ids) ?? value]));
  return {
    name: summary,
    operation,
    request: {
      method: method.toUpperCase(),
      description,
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        variable: parametersOf(path).map((key) => ({ key, value: `{{${key}}}` })),
        query: query.map(({ name, description: text, required = false, example: sample }) => ({
          key: name,
          value: reference(name, ids) ?? String(sample ?? (required ? 'a' : '')),
          description: text,
          // The report of one lead needs one of two parameters, of which neither is required.
          disabled: !(required || (operation.operationId === 'reports.lead' && name === 'lead_id')),
        })),
      },
      ...(requestBody
        ? {
            header: [{ key: 'Content-Type', value: 'application/json' }],
            body: { mode: 'raw', raw: JSON.stringify(body ?? {}, null, 2), options: { raw: { language: 'json' } } },
          }
        : {}),
    },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: testOf(operation, paths) } }],
  };
}

/** The variable for a member that names another resource: `{{leadId}}` for `lead_id`. */
function reference(member: string, ids: ReadonlySet<string>): string | undefined {
  const id = member.replace(/_id$/, 'Id');
  return id !== member && ids.has(id) ? `{{${id}}}` : undefined;
}

/** The document's example of a body. */
function exampleOf({ requestBody }: DocumentedOperation): object | undefined {
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}

/** The script that checks an answer and keeps the id of what it shows. */
function testOf(operation: DocumentedOperation, paths: ReadonlySet<string>): string[] {
  const { path, responses, requestBody } = operation;
  // A second run meets what the first one made. Without an example in the document a body has no members.
  const refusals = requestBody && !exampleOf(operation) ? [400, 409] : [409];
  const expected = [
    ...Object.keys(responses)
      .filter((status) => status < '300')
      .map(Number),
    ...refusals,
  ];
  const child = [...paths].find((other) => other.startsWith(`${path}/{`));
  const id = child && parametersOf(child)[parametersOf(path).length];
  return [
    `pm.test('the API accepts the request', () => pm.expect(pm.response.code, pm.response.text()).to.be.oneOf(${JSON.stringify(expected)}));`,
    ...(id
      ? [
          'const body = pm.response.json();',
          'const first = Array.isArray(body) ? body[0] : Array.isArray(body.data) ? body.data[0] : body;',
          `if (first && first.id) pm.collectionVariables.set('${id}', first.id);`,
        ]
      : []),
  ];
}
