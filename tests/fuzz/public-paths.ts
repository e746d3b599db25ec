import { eventStreamRoute } from '../../services/gateway/src/events/add-event-stream.ts';
import { accountRoutes, personRoutes, routes } from '../../services/gateway/src/routes/index.ts';
import { apiPrefix, platformPrefix } from '../../services/gateway/src/routes/route.ts';

/** The paths outside the API's prefix. */
const outsideThePrefix = [
  ...['/healthz', '/readyz', '/version'],
  ...['/calendars/:file', '/calendars/google/changes'],
  '/channels/whatsapp/:channelId/webhook',
  ...['', '/messages', '/changes', '/handovers', '/receipts', '/about'].map((path) => `/sandbox/:token${path}`),
  ...['/docs', '/docs/', '/docs/errors', '/docs/errors/:code', '/docs/guides', '/docs/guides/:guide'],
  ...['/docs/assets/style.css', '/docs/assets/reference.js', '/docs/assets/scalar.js'],
  ...['/console', '/console/', '/console/*', '/console/assets/:file'],
  ...['/openapi.json', '/openapi.yaml', '/docs/json', '/docs/yaml', '/llms.txt'],
];

/** Every path that the gateway serves, in the form of its router. `public-paths.test.ts` compares them with it. */
export const publicPaths: readonly string[] = [
  ...new Set([
    ...['/openapi.json', '/session/oidc/callback'].map((path) => `${platformPrefix}${path}`),
    ...[...accountRoutes, ...personRoutes, eventStreamRoute].map(({ path }) => `${platformPrefix}${path}`),
    ...[...routes, eventStreamRoute].map(({ path }) => `${apiPrefix}${path}`),
    ...outsideThePrefix,
  ]),
];
