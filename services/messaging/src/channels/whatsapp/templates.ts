import {
  type TemplateButton,
  type TemplateComponent,
  templateButtonTypes,
  templateCategories,
  templateHeaderFormats,
  templateQualities,
  templateStatuses,
} from '@mostrador/contracts';
import { array, identifier, member, text, wordOf } from '../json.ts';
import type { ProviderTemplate, TemplatePage } from '../provider-template.ts';
import { storable } from '../storable.ts';

/** What the list of templates is asked for. */
export const templateFields = 'name,language,status,category,rejected_reason,quality_score,parameter_format,components';

/** Templates with more than this many bytes of JSON are not checked, so that a page of the API stays small. */
const maxComponentsBytes = 16 * 1024;

/**
 * Reads an answer of `GET /{business account}/message_templates`. What it does not know becomes `unknown`, and an entry
 * without a usable name or language is left out. Undefined: the answer is no page.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 */
export function readTemplatePage(answer: unknown): TemplatePage | undefined {
  const entries = array(member(answer, 'data'));
  if (!entries) return undefined;
  const paging = member(answer, 'paging');
  // `next` is the address of the next page and contains the token. Only its cursor is used.
  const hasNext = text(member(paging, 'next')) !== '';
  const after = identifier(member(member(paging, 'cursors'), 'after'));
  if (hasNext && after === '') return undefined;
  return { templates: entries.flatMap(readTemplate), after: hasNext ? after : null };
}

function readTemplate(entry: unknown): ProviderTemplate[] {
  const name = text(member(entry, 'name'));
  const language = text(member(entry, 'language'));
  const status = wordOf(templateStatuses, member(entry, 'status'), 'unknown');
  if (!/^[\x21-\x7e]{1,512}$/.test(name) || !/^[\x21-\x7e]{1,20}$/.test(language) || status === 'deleted') return [];
  const reason = identifier(member(entry, 'rejected_reason'));
  const isNamed = text(member(entry, 'parameter_format')).toUpperCase() === 'NAMED';
  return [
    {
      name,
      language,
      status,
      rejected_reason: reason === '' || reason === 'NONE' ? null : reason,
      category: wordOf(templateCategories, member(entry, 'category'), 'unknown'),
      quality: wordOf(templateQualities, member(member(entry, 'quality_score'), 'score'), 'unknown'),
      variables: isNamed ? 'named' : 'positional',
      components: bounded((array(member(entry, 'components')) ?? []).map(readComponent)),
    },
  ];
}

function readComponent(component: unknown): TemplateComponent {
  const part = { text: contentOf(component, 'text'), format: null, buttons: [] };
  switch (text(member(component, 'type')).toUpperCase()) {
    case 'HEADER':
      return { ...part, type: 'header', format: wordOf(templateHeaderFormats, member(component, 'format'), 'unknown') };
    case 'BODY':
      return { ...part, type: 'body' };
    case 'FOOTER':
      return { ...part, type: 'footer' };
    case 'BUTTONS':
      return { ...part, type: 'buttons', buttons: (array(member(component, 'buttons')) ?? []).map(readButton) };
    default:
      return unknownComponent;
  }
}

const readButton = (button: unknown): TemplateButton => ({
  type: wordOf(templateButtonTypes, member(button, 'type'), 'unknown'),
  text: contentOf(button, 'text') ?? '',
  url: contentOf(button, 'url'),
});

const unknownComponent: TemplateComponent = { type: 'unknown', format: null, text: null, buttons: [] };

const bounded = (components: TemplateComponent[]): TemplateComponent[] =>
  Buffer.byteLength(JSON.stringify(components)) <= maxComponentsBytes ? components : [unknownComponent];

const contentOf = (value: unknown, name: string): string | null => storable(text(member(value, name))) || null;
