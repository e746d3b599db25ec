import { expect, test } from 'vitest';
import { apiDocument, operationsOf } from '../document.ts';
import { postmanCollection } from './collection.ts';

const document = apiDocument();
const { item: folders, variable, auth } = postmanCollection(document);
const requests = folders.flatMap(({ item }) => item);
const named = (name: string) => requests.find((each) => each.name === name);

test('each operation below the prefix is a request in the folder of its tag', () => {
  expect(requests.map(({ name }) => name).sort()).toEqual(
    operationsOf(document)
      .map(({ summary }) => summary)
      .sort(),
  );
  expect(folders.map(({ name }) => name)).toContain('Leads');
});

test('the key and each id of a path are variables without a value', () => {
  expect(auth.apikey).toContainEqual({ key: 'value', value: '{{apiKey}}' });
  expect(variable).toContainEqual({ key: 'apiKey', value: '' });
  expect(variable).toContainEqual({ key: 'leadId', value: '' });
  expect(named('Read a lead')?.request.url).toMatchObject({
    raw: '{{baseUrl}}/leads/:leadId',
    variable: [{ key: 'leadId', value: '{{leadId}}' }],
  });
});

test('a list and a creation keep the id that the next requests need', () => {
  for (const name of ['List leads', 'Create a lead'])
    expect(JSON.stringify(named(name)?.event)).toContain("collectionVariables.set('leadId'");
  expect(JSON.stringify(named("List a lead's sessions")?.event)).toContain("set('sessionId'");
  expect(JSON.stringify(named('Read a lead')?.event)).not.toContain('collectionVariables');
});

test("a body is the document's example, whose references to other resources are variables", () => {
  const { '/appointments': appointments, ...paths } = document.paths;
  const example = { title: 'Eye test', lead_id: 'one', external_id: 'ERP-1', whatsapp_id: '5511961234567' };
  const post = {
    ...appointments?.post,
    requestBody: { content: { 'application/json': { examples: { one: { value: example } } } } },
  };
  const changed = { ...document, paths: { ...paths, '/appointments': { ...appointments, post } } } as typeof document;
  const item = postmanCollection(changed)
    .item.flatMap((folder) => folder.item)
    .find(({ name }) => name === 'Create an appointment');
  const body = { ...example, lead_id: '{{leadId}}' };
  expect(item?.request).toMatchObject({ body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } });
  expect(JSON.stringify(item?.event)).toContain('[201,409]');
});
