// @ts-nocheck: it runs in the browser, whose types this project does not load.
// Shows the API document with Scalar. Scalar keeps the key in memory only, and calls no host but the API's.
const { createApiReference } = globalThis.Scalar;
const answer = await fetch('/openapi.json');
const content = await answer.json();
const at = (server) => new URL(server.url, location.origin).origin;
// At another address than the public one, such as `localhost`, a request to the public one would need CORS.
content.servers.sort((one, other) => (at(other) === location.origin) - (at(one) === location.origin));

createApiReference('#reference', {
  content,
  theme: 'none',
  withDefaultFonts: false,
  hideDarkModeToggle: true,
  persistAuth: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'none',
  hiddenClients: true,
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: true,
  generateOperationSlug: ({ operationId }) => operationId,
  authentication: { preferredSecurityScheme: 'ApiKey' },
});
