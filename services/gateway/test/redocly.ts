import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Not ambiguous beside `/leads/{leadId}/messages` and the like, because the id of a lead is a UUID. */
const distinct = '`/leads/by-phone/{phone}`';

/** What Redocly remarks about an API document: `spec` has the rules of OpenAPI, `recommended` also what readers need. */
export async function remarksOf(document: object, rules: 'spec' | 'recommended'): Promise<(string | undefined)[][]> {
  const config = await createConfig({
    extends: [rules],
    rules: rules === 'recommended' ? { 'operation-tag-defined': 'error' } : {},
  });
  const remarks = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: 'openapi.json' });
  return remarks
    .filter(({ ruleId, message }) => ruleId !== 'no-ambiguous-paths' || !message.includes(distinct))
    .map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}
