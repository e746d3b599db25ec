import { operationIdOf } from '../openapi/names.ts';
import type { ApiRoute } from '../routes/route.ts';
import { tagOf } from '../routes/tags.ts';
import { docsPath } from './layout.ts';

/** Where the reference page shows an operation. `reference.mjs` makes the same anchors. */
export const operationPath = (route: ApiRoute): string =>
  `${docsPath}#tag/${tagOf(route).toLowerCase().replaceAll(' ', '-')}/${operationIdOf(route)}`;
