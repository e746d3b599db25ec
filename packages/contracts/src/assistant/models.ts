import { type Static, Type } from '@sinclair/typebox';
import { About, DateText, Done, Exact, Matching, Nullable, NullableString, OneOf, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableInteger, NullableNumber } from '../core/reports.ts';
import { maxAmount } from '../messaging/messages.ts';
import { maxDailyTokens } from './settings.ts';
import { EffectNames } from './tools.ts';

/**
 * Who can write answers. `demo`: fixed rules in this platform, which need no account. It is for trying the product.
 * `openai_compatible`: any server with the API of OpenAI, such as Ollama, llama-server or vLLM.
 */
export const modelProviders = ['demo', 'openai', 'gemini', 'openai_compatible'] as const;
export type ModelProvider = (typeof modelProviders)[number];

const Provider = OneOf(modelProviders, {
  title: 'ModelProvider',
  description:
    '`demo`: fixed rules that need no account, for trying. `openai_compatible`: any server with the API of OpenAI, such ' +
    'as Ollama, llama-server or vLLM.',
});

/** The members of a connection that depend on its provider. */
type ConnectionMember = 'url' | 'model' | 'secrets';

/** What a connection of each provider must have, and what it may have. */
const membersOf: Readonly<
  Record<ModelProvider, { required: readonly ConnectionMember[]; optional: readonly ConnectionMember[] }>
> = {
  demo: { required: [], optional: [] },
  openai: { required: ['secrets'], optional: ['url', 'model'] },
  gemini: { required: ['secrets'], optional: ['url', 'model'] },
  openai_compatible: { required: ['url', 'model'], optional: ['secrets'] },
};

/** The members that the provider needs and that are not given, and those that it does not take. Pure. */
export function misfitsOf(
  provider: ModelProvider,
  given: Readonly<Partial<Record<ConnectionMember, unknown>>>,
): { readonly missing: readonly ConnectionMember[]; readonly unused: readonly ConnectionMember[] } {
  const { required, optional } = membersOf[provider];
  const names = (['url', 'model', 'secrets'] as const).filter((name) => given[name] !== undefined);
  return {
    missing: required.filter((name) => !names.includes(name)),
    unused: names.filter((name) => ![...required, ...optional].includes(name)),
  };
}

/** Why a call to a model gave nothing that can be used. */
export const modelFailureKinds = [
  'rate_limited',
  'unavailable',
  'timed_out',
  'malformed',
  'rejected',
  'refused',
] as const;
export type ModelFailureKind = (typeof modelFailureKinds)[number];

/** A provider of models that a store has connected. Its key is never shown. */
const ModelConnection = Type.Object(
  {
    provider: Provider,
    url: About(NullableString, 'The address of its API. Null: the public address of the provider.'),
    model: About(NullableString, 'The name of the model at the provider. Null: `demo`.'),
    connected_at: About(Timestamp, 'When it was connected.'),
    failure: Nullable(
      Type.Object(
        {
          kind: OneOf(modelFailureKinds, {
            title: 'ModelFailureKind',
            description:
              '`rejected`: the provider does not accept the key, the model or the address, which only a person can ' +
              'mend. `malformed`: its answer could not be used. The others pass by themselves.',
          }),
          times: Type.Integer({ description: 'How often the calls have failed since the last answer.' }),
          at: About(Timestamp, 'When the last call failed.'),
        },
        { title: 'ModelConnectionFailure', description: 'How the calls to a provider fail.' },
      ),
      { description: 'Null: the last call was answered, or there was none.' },
    ),
  },
  {
    title: 'ModelConnection',
    description: 'A provider of models that the store has connected. Its key is never shown.',
  },
);
export type ModelConnection = Static<typeof ModelConnection>;

export const ModelUrl = Matching('^https?://[^\\s]+$', 'must be an http or https address without spaces', {
  ...{ minLength: 1, maxLength: 2000 },
});
export const ModelName = Matching('^[\\w./:@+-]+$', 'must have only letters, digits and `_./:@+-`', {
  ...{ minLength: 1, maxLength: 200 },
});
export const ModelKey = Matching('^[!-~]+$', 'must be printable ASCII without spaces', {
  ...{ minLength: 1, maxLength: 1000 },
});

const ConnectModelBody = Exact(
  {
    provider: Provider,
    url: Type.Optional(About(ModelUrl, 'The address of the API up to its version. `openai_compatible` needs it.')),
    model: Type.Optional(About(ModelName, 'The name of the model at the provider. `openai_compatible` needs it.')),
    secrets: Type.Optional(
      Exact(
        {
          api_key: About(ModelKey, 'The key of the account.'),
        },
        { title: 'ModelSecrets', description: '`openai` and `gemini` need it. It is never shown.' },
      ),
    ),
  },
  { title: 'ConnectModel', description: 'The provider to connect.' },
);

export const connectModel = defineOperation({
  subject: 'assistant.admin.models.connect',
  summary: 'Connect a provider of models to a store, as its default, in place of an earlier connection of the provider',
  request: { body: ConnectModelBody },
  reply: ModelConnection,
  errors: ['ai_connection_refused'],
});

/** What the calls to models of a day may be and cost, and what they were so far. */
export const AiBudget = Type.Object(
  {
    day: About(DateText, 'Today, in UTC.'),
    calls: Type.Integer({ description: 'How many calls to models today has had.' }),
    most_calls: Type.Integer({ description: 'How many a day may have. The embedder is not counted.' }),
    spent: NullableNumber(
      'What the calls of today have cost, also those of the embedder. Calls that run now count with the most that they ' +
        'can cost, and models without a price with 0. Null: the operator keeps no prices.',
    ),
    most_spent: NullableNumber('What the calls of a day may cost. Null: there is no limit.'),
    tokens: Type.Integer({
      description:
        'How many tokens the calls of today have read and written. Calls that run now count with the most that they can. ' +
        'The embedder is not counted.',
    }),
    most_tokens: NullableInteger('How many tokens a day may have. Null: there is no limit.'),
    currency: About(NullableString, 'ISO 4217. Null: the operator keeps no prices.'),
    reached_at: Nullable(Timestamp, {
      description:
        'Since when calls have been refused today because of these limits, so that people answer. Null: there is room for another call.',
    }),
  },
  { title: 'AiBudget', description: 'What the AI may use a day, and has used today.' },
);
export type AiBudget = Static<typeof AiBudget>;

/** A limit of what the AI may use a day. */
export const AiBudgetLimit = OneOf(['calls', 'money', 'tokens'], {
  title: 'AiBudgetLimit',
  description: '`calls`: `most_calls`. `money`: `most_spent`. `tokens`: `most_tokens`.',
});
export type AiBudgetLimit = Static<typeof AiBudgetLimit>;

export const showModels = defineOperation({
  subject: 'assistant.admin.models.show',
  summary: 'Read which providers of models a store has connected, the default first',
  request: {},
  reply: Type.Object({ data: Type.Array(ModelConnection), budget: Type.Optional(AiBudget) }),
});

export const disconnectModels = defineOperation({
  subject: 'assistant.admin.models.disconnect',
  summary: 'Disconnect one provider of models of a store, or all, and delete their keys',
  request: { body: Exact({ provider: Type.Optional(OneOf(modelProviders)) }) },
  reply: Done,
});

/** The AI as the people of the store see it. */
const StoreAi = Type.Object(
  {
    ai: Type.Boolean({ description: 'Whether the AI answers the customers of the store.' }),
    connections: Type.Array(ModelConnection, { description: 'Its providers of models, the default first.' }),
    budget: AiBudget,
    confirm: EffectNames,
  },
  { title: 'StoreAi', description: 'The AI of the store.' },
);
export type StoreAi = Static<typeof StoreAi>;

export const getStoreAi = defineOperation({
  subject: 'assistant.platform.ai.get',
  http: { method: 'GET', path: '/ai' },
  access: { role: 'seller' },
  summary: 'Read whether the AI answers, and with which providers of models',
  request: {},
  reply: StoreAi,
});

export const switchStoreAi = defineOperation({
  subject: 'assistant.platform.ai.switch',
  http: { method: 'PATCH', path: '/ai' },
  access: { role: 'owner' },
  summary: 'Switch the AI of the store on or off, or change what it may use a day and what a person confirms',
  description: 'What customers wrote before it is switched on is left to people.',
  request: {
    body: Exact(
      {
        ai: Type.Optional(Type.Boolean({ description: 'Whether the AI answers the customers of the store.' })),
        most_calls: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'How many calls to models a day may have.' }),
        ),
        most_spent: Type.Optional(
          Type.Unsafe<number | null>({
            ...{ type: ['number', 'null'], minimum: 0, maximum: maxAmount },
            description:
              'What the calls of a day may cost, in `currency`. Null: there is no limit. It needs prices, which the operator keeps.',
          }),
        ),
        most_tokens: Type.Optional(
          Type.Unsafe<number | null>({
            ...{ type: ['integer', 'null'], minimum: 0, maximum: maxDailyTokens },
            description: 'How many tokens the calls of a day may read and write. Null: there is no limit.',
          }),
        ),
        confirm: Type.Optional(EffectNames),
      },
      { minProperties: 1, description: 'What to change.' },
    ),
  },
  reply: StoreAi,
});

/** By the rules of `connectModel`. */
export const connectStoreModel = defineOperation({
  subject: 'assistant.platform.models.connect',
  http: { method: 'PUT', path: '/ai/connections' },
  access: { role: 'owner', audited: ['provider'] },
  summary: 'Connect a provider of models, as the default, in place of an earlier connection of the provider',
  description: 'The model is called once, to check the address, the key and the name. The key is never shown.',
  request: { body: ConnectModelBody },
  reply: StoreAi,
  errors: ['ai_connection_refused'],
});

export const disconnectStoreModel = defineOperation({
  subject: 'assistant.platform.models.disconnect',
  http: { method: 'DELETE', path: '/ai/connections/:provider' },
  access: { role: 'owner' },
  summary: 'Disconnect a provider of models and delete its key',
  request: { params: Exact({ provider: Provider }) },
  reply: StoreAi,
});
