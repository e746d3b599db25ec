import { gunzipSync } from 'node:zlib';
import { errorCatalogue } from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { appointmentBody, appointmentId, serveScheduling } from '../../test/scheduling.ts';
import { ptBrErrors } from '../languages/pt-br-errors.ts';

let gateway: TestGateway;
let scheduling: Awaited<ReturnType<typeof serveScheduling>>;
let send: ReturnType<typeof createClient>['send'];

beforeAll(async () => {
  gateway = await startTestGateway({ corsOrigins: 'https://console.example.com' });
  scheduling = await serveScheduling(gateway);
  const { apiKey } = await gateway.newStore();
  ({ send } = createClient(gateway, apiKey));
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  scheduling.before.answer = undefined;
});

const portuguese = { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.8' };
const get = (headers: Record<string, string>) => send(`${api}/appointments/${appointmentId}`, { headers });

/** What the service answers to the next requests. */
function serviceThrows(error: AppError): void {
  scheduling.before.answer = async () => {
    throw error;
  };
}

test('an error is English unless Accept-Language prefers Portuguese, and only its texts change', async () => {
  serviceThrows(new AppError('appointment_not_found'));
  const { title, description } = errorCatalogue.appointment_not_found;
  for (const language of [undefined, 'de, *;q=0.5', 'en, pt;q=0.9']) {
    const answer = await get(language === undefined ? {} : { 'accept-language': language });
    expect(expectProblem(answer, 404, 'appointment_not_found')).toMatchObject({ title, detail: description });
    expect([answer.headers['content-language'], answer.headers.vary]).toEqual([
      'en',
      'Origin, Accept-Language, Accept-Encoding',
    ]);
  }
  const english = (await get({ 'x-request-id': 'one' })).json();
  const answer = await get({ ...portuguese, 'x-request-id': 'one' });
  expect(answer.headers['content-language']).toBe('pt-BR');
  const translated = ptBrErrors.appointment_not_found;
  expect(answer.json()).toEqual({ ...english, title: translated.title, detail: translated.description });
});

test('a detail of a service is translated with its values, and one that the gateway does not know stays English', async () => {
  const members = { current_status: 'done' };
  serviceThrows(
    new AppError('appointment_not_scheduled', {
      detail: 'The appointment is done. Only a scheduled appointment can change.',
      members,
    }),
  );
  expect(expectProblem(await get(portuguese), 409, 'appointment_not_scheduled')).toMatchObject({
    title: ptBrErrors.appointment_not_scheduled.title,
    detail: 'O agendamento está com o status done. Só um agendamento com o status scheduled pode mudar.',
    ...members,
  });
  serviceThrows(new AppError('appointment_not_scheduled', { detail: 'The appointment is over.', members }));
  expect(expectProblem(await get(portuguese), 409, 'appointment_not_scheduled')).toMatchObject({
    title: ptBrErrors.appointment_not_scheduled.title,
    detail: 'The appointment is over.',
  });
});

test('faults are translated, those of the gateway and those of a service', async () => {
  const invalid = await send(`${api}/appointments?limit=500`, {
    ...{ method: 'POST', headers: portuguese },
    payload: { ...appointmentBody, title: '', colour: 'red' },
  });
  expect(expectProblem(invalid, 400, 'validation_failed')).toMatchObject({
    title: 'Requisição inválida',
    detail: 'query limit não é um parâmetro desta requisição (e mais 2; veja errors).',
    errors: [
      { in: 'query', name: 'limit', detail: 'não é um parâmetro desta requisição' },
      { pointer: '#/colour', detail: 'não é um campo desta requisição' },
      { pointer: '#/title', detail: 'não pode ficar vazio' },
    ],
  });
  serviceThrows(validationFailed([{ pointer: '#/due_at', detail: 'must not be in the past' }]));
  expect(expectProblem(await get(portuguese), 400, 'validation_failed')).toMatchObject({
    detail: '#/due_at não pode estar no passado.',
    errors: [{ pointer: '#/due_at', detail: 'não pode estar no passado' }],
  });
});

test('an error outside of the API, and one that the router finds, are translated, too', async () => {
  const missing = await send('/nothing', { key: null, headers: portuguese });
  expect(expectProblem(missing, 404, 'route_not_found').title).toBe(ptBrErrors.route_not_found.title);
  const malformed = await send('/%zz', { key: null, headers: portuguese });
  expect(expectProblem(malformed, 400, 'malformed_request').title).toBe(ptBrErrors.malformed_request.title);
  expect(malformed.headers['content-language']).toBe('pt-BR');
  expect(malformed.headers.vary).toContain('Accept-Language');
});

test('Vary names the origin, the language and the coding, also of a compressed error', async () => {
  const errors = Array.from({ length: 50 }, (_, index) => ({ pointer: `#/${index}`, detail: 'is required' }));
  serviceThrows(validationFailed(errors));
  const answer = await get({ ...portuguese, origin: 'https://console.example.com', 'accept-encoding': 'gzip' });
  expect(answer.headers).toMatchObject({
    ...{ 'content-encoding': 'gzip', 'content-language': 'pt-BR' },
    ...{
      vary: 'Origin, Accept-Language, Accept-Encoding',
      'access-control-allow-origin': 'https://console.example.com',
    },
  });
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).errors[49].detail).toBe('é obrigatório');
});

test('a success has no language', async () => {
  const { headers } = await get(portuguese);
  expect(headers).not.toHaveProperty('content-language');
  expect(headers.vary).not.toContain('Accept-Language');
});
