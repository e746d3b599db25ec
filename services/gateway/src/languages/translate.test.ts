import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { compile } from '@mostrador/kit/schema/compile';
import type { TSchema } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import { ptBrDetails } from './pt-br-details.ts';
import { ptBrErrors } from './pt-br-errors.ts';
import { inLanguage, translate } from './translate.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const namesIn = (text: string) => [...text.matchAll(/`[^`]+`/g)].map(([name]) => name).sort();
const placeholdersIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test.each(codes)('the description of %s names the same members, headers and values in both languages', (code) => {
  expect(namesIn(ptBrErrors[code].description)).toEqual(namesIn(errorCatalogue[code].description));
  expect(ptBrErrors[code].title).not.toBe(errorCatalogue[code].title);
});

test.each(ptBrDetails)('%j has the same placeholders and names in both languages', (english, portuguese) => {
  expect(placeholdersIn(portuguese)).toEqual(placeholdersIn(english));
  expect(namesIn(portuguese)).toEqual(namesIn(english));
});

describe('a detail', () => {
  test.each([
    ['is required', 'é obrigatório'],
    ['must be at most 200', 'deve ser no máximo 200'],
    ['must be at most 365 days ahead', 'deve estar no máximo 365 dias à frente'],
    ['must be an integer or null', 'deve ser um número inteiro ou null'],
    ['must be one of: pending, lost', 'deve ser um destes valores: pending, lost'],
    ['its name must have at most 40 characters', 'o nome deve ter no máximo 40 caracteres'],
    ['must be a tag without a comma', 'deve ser uma tag sem vírgula'],
    [
      'The follow-up is sent. Only a pending follow-up can be changed.',
      'O follow-up está com o status sent. Só um follow-up com o status pending pode ser alterado.',
    ],
    [
      'The path ends in a slash. Use `/integrations/v1/leads`.',
      'O caminho termina em barra. Use `/integrations/v1/leads`.',
    ],
  ])('%j becomes %j', (english, portuguese) => {
    expect(translate(english)).toBe(portuguese);
  });

  test.each(['', 'must be a unicorn', 'must be at most many', 'its name is Ana', 'does not have the right form: ^x$'])(
    '%j without a translation has none, rather than half of one',
    (english) => {
      expect(translate(english)).toBeUndefined();
    },
  );
});

describe('a problem document', () => {
  const faults = [
    { pointer: '#/title', detail: 'must not be empty' },
    { in: 'query' as const, name: 'limit', detail: 'must be at most 200' },
  ];
  const problemOf = (code: ErrorCode, detail: string, members: object = {}) => ({
    ...{ type: `/docs/errors/${code}`, title: errorCatalogue[code].title as string, status: 400 },
    ...{ detail, code, request_id: '1', ...members },
  });

  test('changes in its texts alone', () => {
    const problem = problemOf('lead_exists', errorCatalogue.lead_exists.description, { id: 'x' });
    const { title, description: detail } = ptBrErrors.lead_exists;
    expect(inLanguage(problem, 'pt-BR')).toEqual({ ...problem, title, detail });
    expect(Object.keys(inLanguage(problem, 'pt-BR'))).toEqual(Object.keys(problem));
    expect(inLanguage(problem, 'en')).toBe(problem);
  });

  test('of an invalid request has its faults in the language, and the first of them in its detail', () => {
    const problem = problemOf('validation_failed', validationFailed(faults).detail, { errors: faults });
    expect(inLanguage(problem, 'pt-BR')).toMatchObject({
      title: 'Requisição inválida',
      detail: '#/title não pode ficar vazio (e mais 1; veja errors).',
      errors: [
        { pointer: '#/title', detail: 'não pode ficar vazio' },
        { in: 'query', name: 'limit', detail: 'deve ser no máximo 200' },
      ],
    });
  });

  test('keeps a detail that this version does not know, as a newer service may send it', () => {
    const problem = problemOf('lead_busy', 'The lead is on the telephone.');
    expect(inLanguage(problem, 'pt-BR')).toMatchObject({ title: 'Lead ocupado', detail: problem.detail });
    const unknown = [{ pointer: '#/title', detail: 'must rhyme' }];
    const invalid = problemOf('validation_failed', validationFailed(unknown).detail, { errors: unknown });
    expect(inLanguage(invalid, 'pt-BR')).toMatchObject({ detail: '#/title must rhyme.', errors: unknown });
    const other = problemOf('validation_failed', 'No fault is named.');
    expect(inLanguage(other, 'pt-BR')).toEqual({ ...other, title: 'Requisição inválida' });
  });
});

describe('the rules of schemas', () => {
  const long = 'x'.repeat(300_000);
  const many = Array.from({ length: 1001 }, (_, index) => `${index}`);
  const bad: readonly unknown[] = [
    ...[null, true, 0, -1, 1.5, 1e12, '', ' ', ',', 'x', long, '\0', '\ud800', [], ['x', 'x'], [1], many, {}],
    ...[{ unknown: 1 }, { [long]: 1, '': 'x' }, Object.fromEntries(many.map((name) => [name, 'x']))],
  ];
  /** The faults of a schema and of the schemas inside it, for many wrong values. */
  const detailsOf = (schema: TSchema): string[] => {
    const inside = { type: 'object', properties: { value: schema } } as unknown as TSchema;
    return [
      ...bad.flatMap((value) => compile(inside)(structuredClone({ value })).map(({ detail }) => detail)),
      ...Object.values((schema.properties ?? {}) as Record<string, TSchema>).flatMap(detailsOf),
      ...(schema.items ? detailsOf(schema.items) : []),
    ];
  };

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route.operation.request] as const))(
    'every fault of %s has a translation',
    (_, { params, query, body }) => {
      const parts = [params, query, body].filter((part) => part !== undefined);
      const untranslatedFaults = parts.flatMap(detailsOf).filter((detail) => translate(detail) === undefined);
      expect([...new Set(untranslatedFaults)]).toEqual([]);
    },
  );

  test.each([
    [{ type: 'number', exclusiveMinimum: 5 }, 5],
    [{ type: 'number', exclusiveMaximum: 5 }, 5],
    [{ type: 'number', multipleOf: 5 }, 6],
    [{ type: 'array', minItems: 2 }, []],
    [{ type: 'object', minProperties: 2 }, {}],
    [{ type: 'object', required: ['name'], properties: { name: {} } }, {}],
    [{ type: 'string', format: 'country' }, 'x'],
    [{ type: 'string', format: 'locale' }, '?'],
    [{ type: 'string', format: 'time-zone' }, '?'],
    [{ not: {} }, 1],
  ])('a fault of %j has a translation', (schema, value) => {
    const details = compile(schema as unknown as TSchema)(value).map(({ detail }) => detail);
    expect(details.length).toBeGreaterThan(0);
    expect(details.filter((detail) => translate(detail) === undefined)).toEqual([]);
  });
});

/**
 * The details in the sources that have no translation. A new detail gets one in `pt-br-details.ts`; this list only gets
 * shorter.
 */
const untranslated: readonly string[] = [
  // Only between our processes.
  'must be JSON with a key, a scope and a fingerprint',
  'must be JSON with a user, a role and, for a seller, their id',
  'must be a moment within the next ten minutes',
  'must be the id of a store',
  // Only in `npm run admin` and in the log, which speak English.
  'It failed too often, or cannot be read, and is kept. Mend the fault and retry it, or give it up.',
  'It is processed now, or waits for an earlier one or for a service.',
  'No process of {} answers: start one, or read its log and its /readyz. What it serves gets 503.',
  'No user has this email address. Check it.',
  'The AI waits for more that the lead may write.',
  'The key is revoked or expired. Create a new key.',
  'The store has no message with this id.',
  'is needed, because the person is in several stores',
  'must not be `calendar_watch`: a calendar is read while it is connected. `calendar disconnect` ends it.',
  'needs a rate file: set WHATSAPP_RATES_FILE of messaging',
];

/**
 * Files with details of something else: of the configuration, of errors inside of a message or an event, what providers
 * answer, and what a model is told.
 */
const elsewhere =
  /^packages\/kit\/src\/process\/|\/(calendar-sync|restore|caldav|google)\/|\/(calendars\/http|models\/clean-text|channels\/(credentials|channel-provider|\w+\/adapter))\.ts$/;

test('every detail in the sources has a translation, except those that are listed here', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const services = readdirSync(join(root, 'services')).map((name) => `services/${name}`);
  const found = ['packages/contracts', 'packages/kit', ...services]
    .flatMap((folder) => filesBelow(join(root, folder, 'src')))
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|\/(languages|openapi)\//.test(path))
    .filter((path) => !elsewhere.test(relative(root, path)))
    .flatMap((path) => detailsIn(readFileSync(path, 'utf8')));
  expect(found.length).toBeGreaterThan(50);
  const templates = new Set(ptBrDetails.map(([english]) => english.replaceAll(/\{\w+\}/g, '{}')));
  const missing = found.filter((detail) => !templates.has(detail) && translate(detail) === undefined);
  expect([...new Set(missing)].sort()).toEqual([...untranslated].sort());
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/**
 * The literals that become a detail: of a member or variable `detail`, of a `fault`, and of a function that refuses. An
 * expression inside of a template is `{}`. A `detail` beside its own `code` is the error of a message or follow-up.
 */
function detailsIn(source: string): string[] {
  const place = /(?:(?<!\bcode: '\w+',\s*)\bdetail:|\bfault:|\b(?:\w+D|d)etail =|\brefused\()/;
  const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/;
  const expression = new RegExp(`${place.source}(?:[^'"\`;,{}]|${literal.source})*`, 'g');
  return [...source.matchAll(expression)]
    .flatMap(([found]) => [...found.matchAll(new RegExp(literal, 'g'))])
    .map(([text]) =>
      text
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '{}')
        .replaceAll(/\\(.)/g, '$1'),
    )
    .filter((text) => /[a-z] /.test(text));
}
