import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workplace } from './client.ts';
import { clients } from './clients.ts';
import { type ApiDocument, wrongModels } from './generate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-clients-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const object = { properties: {} };
const schemas = { Lead: object, LeadList: object, Metadata: {} };
const documentOf = (all: ApiDocument['components']['schemas']): ApiDocument => ({ components: { schemas: all } });

test.each([
  ['python', ['__init__.py', 'lead.py', 'lead_list.py'], 'leads_list200_response.py'],
  ['java', ['AbstractOpenApiSchema.java', 'Lead.java', 'LeadList.java'], 'LeadsList200Response.java'],
  ['go', ['api_leads.go', 'model_lead.go', 'model_lead_list.go'], 'model_leads_list200_response.go'],
  ['typescript-fetch', ['index.ts', 'Lead.ts', 'LeadList.ts'], 'LeadsList200Response.ts'],
  ['csharp', ['AbstractOpenAPISchema.cs', 'Lead.cs', 'LeadList.cs'], 'LeadsList200Response.cs'],
])('%s: a model without a named schema is found, and a missing one too', (name, made, unnamed) => {
  const client = clients.find((each) => each.name === name);
  if (!client?.models) throw new Error(`there is no client ${name}`);
  const models = join(folder, client.models.folder);
  mkdirSync(models, { recursive: true });
  for (const file of made) writeFileSync(join(models, file), '');
  const place = { folder } as Workplace;
  expect(wrongModels(client, place, documentOf(schemas))).toEqual([]);
  const more = documentOf({ ...schemas, LeadStatus: { enum: ['pending'] } });
  expect(wrongModels(client, place, more)).toEqual(['there is no model for LeadStatus']);
  writeFileSync(join(models, unnamed), '');
  expect(wrongModels(client, place, documentOf(schemas))).toEqual([
    expect.stringMatching(/200.?response comes from a schema/i),
  ]);
});
