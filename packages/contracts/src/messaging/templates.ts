import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Exact,
  MapOf,
  Nullable,
  NullableString,
  OneOf,
  Page,
  paging,
  Several,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import type { ValidationFault } from '../core/errors.ts';
import { defineOperation } from '../core/operation.ts';

/** The maximum size of a template's values in bytes of JSON: the largest page of follow-ups fits into one NATS message. */
const greatestValuesJsonBytes = 8 * 1024;

/** A message that the channel approved in advance and accepts at any time, with the values of its variables. */
export const MessageTemplate = Exact(
  {
    name: Text(512, { description: 'The name by which the channel approved it.' }),
    language: Text(20, { description: 'The language of the approved text, such as `pt_BR`.' }),
    components: Type.Optional(
      Type.Array(MapOf(Type.Unknown()), {
        maxItems: 20,
        description:
          'The values of its variables, as the channel defines them. WhatsApp: `{ type, parameters }` with the type ' +
          '`header`, `body`, or `button` with `sub_type` and `index`. A parameter has a type, such as `text`, `currency`, ' +
          '`date_time` or `image`, a member of that name, and `parameter_name` if variables are named. At most 8 KiB of JSON.',
      }),
    ),
  },
  {
    title: 'MessageTemplate',
    description: 'A message that the channel approved in advance and accepts at any time.',
  },
);
export type MessageTemplate = Static<typeof MessageTemplate>;

/** What the schema of a template does not express, as a fault of the body's `template`. */
export function faultsOfTemplate(template: MessageTemplate | null | undefined): ValidationFault[] {
  const bytes = new TextEncoder().encode(JSON.stringify(template?.components ?? [])).length;
  if (bytes <= greatestValuesJsonBytes) return [];
  return [{ pointer: '#/template/components', detail: 'must be at most 8 KiB of JSON' }];
}

/** Only `approved` can be sent. The last one is a state that is newer than this server. */
export const templateStatuses = [
  'approved',
  'pending',
  'in_appeal',
  'rejected',
  'paused',
  'disabled',
  'archived',
  'limit_exceeded',
  'pending_deletion',
  'deleted',
  'unknown',
] as const;
export type TemplateStatus = (typeof templateStatuses)[number];
export const TemplateStatusWord = OneOf(templateStatuses, {
  title: 'TemplateStatus',
  description:
    'What the channel says of the template. Only one that is `approved` can be sent. `deleted`: only in events, because ' +
    'the list no longer has it. `unknown`: a state that is newer than this server.',
});

export const NullableTemplateStatus = Nullable(TemplateStatusWord);

export const templateCategories = ['marketing', 'utility', 'authentication', 'unknown'] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export const templateQualities = ['green', 'yellow', 'red', 'unknown'] as const;
export type TemplateQuality = (typeof templateQualities)[number];

/** `unknown`: the channel has a component that this server does not know. Nothing about it is checked. */
export const templateComponentTypes = ['header', 'body', 'footer', 'buttons', 'unknown'] as const;
export const templateHeaderFormats = ['text', 'image', 'video', 'document', 'location', 'unknown'] as const;
export const templateButtonTypes = ['quick_reply', 'url', 'phone_number', 'copy_code', 'unknown'] as const;

export const TemplateButton = Type.Object(
  {
    type: OneOf(templateButtonTypes, { title: 'TemplateButtonType', description: 'What a tap on it does.' }),
    text: Type.String({ description: 'Its label.' }),
    url: About(NullableString, 'The address that a `url` button opens. It may end with the variable `{{1}}`.'),
  },
  { title: 'TemplateButton', description: 'A button of a template.' },
);
export type TemplateButton = Static<typeof TemplateButton>;

export const TemplateComponent = Type.Object(
  {
    type: OneOf(templateComponentTypes, {
      title: 'TemplateComponentType',
      description: 'The part of the message. `unknown`: a kind that this server does not know, and so does not check.',
    }),
    format: Nullable(
      OneOf(templateHeaderFormats, { title: 'TemplateHeaderFormat', description: 'What a `header` is.' }),
      { description: 'What a `header` is. Null: the component is none.' },
    ),
    text: About(NullableString, 'The text with its variables: `{{1}}`, or `{{name}}`. Null: it has none.'),
    buttons: Type.Array(TemplateButton, {
      description: 'The buttons, in their order. `index` of a value counts from 0.',
    }),
  },
  { title: 'TemplateComponent', description: 'A part of a template.' },
);
export type TemplateComponent = Static<typeof TemplateComponent>;

export const Template = Type.Object(
  {
    id: About(Uuid, 'The id of the template. It stays while the template has its name and language.'),
    name: Type.String({ description: 'The name by which the channel approved it.' }),
    language: Type.String({ description: 'The language of its text, such as `pt_BR`.' }),
    status: TemplateStatusWord,
    rejected_reason: About(NullableString, 'Why the channel rejected it, in the channel’s words. Null: it did not.'),
    category: OneOf(templateCategories, {
      title: 'TemplateCategory',
      description: 'What it is for, which decides its price.',
    }),
    quality: OneOf(templateQualities, {
      title: 'TemplateQuality',
      description: 'How customers rate it. `unknown`: the channel has no rating yet.',
    }),
    variables: OneOf(['positional', 'named'], {
      title: 'TemplateVariables',
      description: '`positional`: `{{1}}`, values in their order. `named`: `{{name}}`, values with `parameter_name`.',
    }),
    components: Type.Array(TemplateComponent, { description: 'Its parts.' }),
    updated_at: About(Timestamp, 'When the server last saw a change of it.'),
  },
  {
    title: 'Template',
    description: 'A message that the store may send at any time, once the channel has approved it.',
  },
);
export type Template = Static<typeof Template>;

export const listTemplates = defineOperation({
  subject: 'messaging.api.templates.list',
  http: { method: 'GET', path: '/templates' },
  access: { scope: 'templates:read' },
  summary: 'List the templates of the channel',
  description:
    'The templates of the connected channel, by name and language, as the channel told at the last synchronization: ' +
    'every 15 minutes, and when the channel reports a change. A WhatsApp channel needs its `business_account_id` for it. ' +
    'Without one the list is empty, and the channel alone checks a template that is sent.',
  extension: true,
  request: {
    query: Exact({
      status: Type.Optional(
        Several(TemplateStatusWord, templateStatuses.join('|'), {
          maxLength: 200,
          description: `One or several of ${templateStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      name: Type.Optional(Text(512, { description: 'Only the template with this name, in all of its languages.' })),
      language: Type.Optional(Text(20, { description: 'Only templates in this language.' })),
      ...paging(),
    }),
  },
  reply: Page(Template),
});

/** Checks a template that is sent later by the same rules as one that is sent now. */
export const checkTemplate = defineOperation({
  subject: 'messaging.internal.templates.check',
  summary: 'Check a template and its values against the templates of the channel',
  request: { body: Exact({ template: MessageTemplate }) },
  /** The values that do not fit, as faults of a body with this `template`. */
  reply: Type.Object({ faults: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })) }),
  errors: ['template_not_found', 'template_not_approved'],
});
