import { createApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { routes } from '../../services/gateway/src/routes/index.ts';

type Content = Readonly<Record<string, { schema: { $ref?: string }; examples?: Record<string, { value: object }> }>>;

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: object;
};

/** The parts of the API document that the SDKs read. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>> & { readonly servers?: unknown }>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly content: Content }>>;
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>;
  };
};

/** The API document, made from the gateway's code without starting it. */
export const apiDocument = (): ApiDocument =>
  createApiDocument(routes, { publicUrl: 'https://api.example.com' }) as unknown as ApiDocument;

export type DocumentedOperation = Operation & { readonly method: string; readonly path: string };

/** The operations below the API's prefix. The calendar feed has an address of its own and needs no key. */
export function operationsOf({ paths }: ApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    servers ? [] : Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}
