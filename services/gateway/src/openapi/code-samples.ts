import { type Route, takesIdempotencyKey } from '../routes/route.ts';
import type { Example } from './examples/example.ts';

/** A sample of the document's extension `x-codeSamples`. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

type SampleRequest = {
  readonly method: Route['method'];
  readonly url: string;
  readonly body?: unknown;
  /** Default: true. */
  readonly withKey?: boolean;
  readonly withIdempotencyKey?: boolean;
};

/** How a program calls the operation with the request of its example. `baseUrl` ends before the path of the route. */
export function codeSamples(route: Route, { request }: Example, baseUrl: string): readonly CodeSample[] {
  const {
    params = {},
    query = {},
    body,
  } = request as Partial<Record<'params' | 'query', Record<string, unknown>>> & {
    body?: unknown;
  };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  // A comma separates the values of a filter, and needs no escape in a query.
  const search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`)
    .join('&');
  const url = `${baseUrl}${path}${search && `?${search}`}`;
  return samplesOf({ method: route.method, url, body, withIdempotencyKey: takesIdempotencyKey(route) });
}

/** The same request for a shell, for Node or a browser's runtime, and for Python. Each reads the key from the environment. */
export const samplesOf = (request: SampleRequest): readonly CodeSample[] => [
  { lang: 'shell', label: 'curl', source: curl(request) },
  { lang: 'typescript', label: 'TypeScript', source: typescript(request) },
  { lang: 'python', label: 'Python', source: python(request) },
];

function curl({ method, url, body, withKey = true }: SampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...(withKey ? ['-H "X-API-Key: $MOSTRADOR_API_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(pretty(body))}`]),
  ].join(' \\\n  ');
}

function typescript({ method, url, body, withKey = true, withIdempotencyKey = false }: SampleRequest): string {
  const headers = [
    ...(withKey ? ["    'X-API-Key': process.env.MOSTRADOR_API_KEY ?? '',"] : []),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
    ...(withIdempotencyKey ? ["    'Idempotency-Key': crypto.randomUUID(),"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(pretty(body), '  ')}),`]),
  ];
  return [
    `const response = await fetch('${url}'${options.length === 0 ? ');' : ', {'}`,
    ...(options.length === 0 ? [] : [...options, '});']),
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(await response.${withKey ? 'json' : 'text'}());`,
  ].join('\n');
}

function python({ method, url, body, withKey = true, withIdempotencyKey = false }: SampleRequest): string {
  const headers = [
    ...(withKey ? ['        "X-API-Key": os.environ["MOSTRADOR_API_KEY"],'] : []),
    ...(withIdempotencyKey ? ['        "Idempotency-Key": str(uuid.uuid4()),'] : []),
  ];
  return [
    ...(withKey ? ['import os'] : []),
    ...(withIdempotencyKey ? ['import uuid'] : []),
    ...(withKey ? [''] : []),
    'import httpx',
    '',
    `response = httpx.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(body === undefined ? [] : [`    json=${indented(literal(body), '    ')},`]),
    ')',
    'response.raise_for_status()',
    `print(response.${withKey ? 'json()' : 'text'})`,
  ].join('\n');
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** A value as Python writes it. JSON's words for null, true and false are the only difference. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  const lines = (open: string, items: readonly string[], close: string) =>
    items.length === 0
      ? `${open}${close}`
      : [open, ...items.map((item) => `${inner}${item},`), `${indent}${close}`].join('\n');
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item) => literal(item, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, inner)}`);
    return lines('{', members, '}');
  }
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}
