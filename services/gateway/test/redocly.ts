import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What Redocly remarks about an API document: `spec` has the rules of OpenAPI, `recommended` also what readers need. */
export async function remarksOf(document: object, rules: 'spec' | 'recommended'): Promise<(string | undefined)[][]> {
  const config = await createConfig({
    extends: [rules],
    rules: {
      // `/leads/by-phone/{phone}` beside `/leads/{leadId}/messages` is not ambiguous: the id of a lead is a UUID.
      'no-ambiguous-paths': 'off',
      ...(rules === 'recommended' && { 'operation-tag-defined': 'error' }),
    },
  });
  const remarks = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: 'openapi.json' });
  return remarks.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}
