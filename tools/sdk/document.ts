import { createApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { routes } from '../../services/gateway/src/routes/index.ts';

type ProblemBody = { readonly status: number; readonly title: string };
type Content = {
  readonly schema: { readonly $ref: string };
  readonly examples: Readonly<Record<string, { value: ProblemBody }>>;
};

type Example = Readonly<Record<string, unknown>>;
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly example?: unknown;
};
type RequestBody = {
  readonly content: {
    readonly 'application/json': {
      readonly example?: Example;
      readonly examples?: Readonly<Record<string, { readonly value: Example }>>;
    };
  };
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, unknown>>;
};

type EventWebhook = {
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
  };
};

/** The parts of the API document that the SDKs read. */
export type ApiDocument = {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>> & { readonly servers?: unknown }>>;
  readonly webhooks: Readonly<Record<string, { readonly post: EventWebhook }>>;
  readonly components: {
    readonly responses: Readonly<
      Record<string, { readonly content: { readonly 'application/problem+json': Content } }>
    >;
    readonly schemas: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, unknown>>; readonly enum?: readonly string[] }>
    >;
  };
};

/** The API document, made from the gateway's code without starting it. */
export const apiDocument = (): ApiDocument =>
  createApiDocument(routes, { publicUrl: 'https://api.example.com' }) as unknown as ApiDocument;

export type DocumentedOperation = Operation & { readonly method: string; readonly path: string };

/**
 * The operations below the API's prefix that end with an answer. The calendar feed has an address of its own and needs no
 * key, and the stream of events has no end.
 */
export function operationsOf({ paths }: ApiDocument): DocumentedOperation[] {
  const operations = Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    servers ? [] : Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  return operations.filter(({ responses }) => !JSON.stringify(responses).includes('"text/event-stream"'));
}

const nameOf = ({ $ref }: { readonly $ref: string }): string => $ref.split('/').at(-1) ?? '';

/** The name of the schema of each type of event. */
export const eventSchemasOf = ({ webhooks }: ApiDocument): { readonly type: string; readonly schema: string }[] =>
  Object.entries(webhooks).map(([type, { post }]) => ({
    type,
    schema: nameOf(post.requestBody.content['application/json'].schema),
  }));

export type DocumentedProblem = ProblemBody & {
  readonly code: string;
  readonly schema: string;
  /** The members that the code has for certain, beside those of every problem: those of its example. */
  readonly certain: readonly string[];
};

/** The problem of each code. */
export function problemsOf({ components }: ApiDocument): DocumentedProblem[] {
  const common = Object.keys(components.schemas.Problem?.properties ?? {});
  return Object.values(components.responses).flatMap(({ content }) => {
    const { schema, examples } = content['application/problem+json'];
    return Object.entries(examples).map(([code, { value }]) => ({
      code,
      status: value.status,
      title: value.title,
      schema: nameOf(schema),
      certain: Object.keys(value).filter((member) => !common.includes(member)),
    }));
  });
}
