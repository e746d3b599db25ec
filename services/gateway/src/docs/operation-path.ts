import { operationIdOf } from '../openapi/names.ts';
import type { Route } from '../routes/route.ts';
import { docsPath } from './layout.ts';

/** Where the reference page shows an operation. `reference.mjs` makes the same anchors. */
export const operationPath = (route: Route): string =>
  `${docsPath}#tag/${route.tag.toLowerCase().replaceAll(' ', '-')}/${operationIdOf(route)}`;
