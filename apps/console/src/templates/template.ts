import type { MessageTemplate, Template } from '../api/platform.ts';

/** A template as it is typed, for a channel whose templates are not known. The values stand one a line. */
type TypedTemplate = { readonly name: string; readonly language: string; readonly values: string };

/** What a person has chosen and typed. Nothing chosen and no name: no template. */
export type TemplateDraft = {
  readonly chosen: Template | null;
  /** The values of the chosen one by the `id` of their field. */
  readonly values: Readonly<Record<string, string>>;
  readonly typed: TypedTemplate;
};

export const noTemplate: TemplateDraft = { chosen: null, values: {}, typed: { name: '', language: '', values: '' } };

type Part = Template['components'][number];
type Button = Part['buttons'][number];

/** Where a value stands in the message. */
type Place =
  | { readonly part: 'header' | 'body'; readonly variable: string }
  | { readonly part: 'media'; readonly format: 'image' | 'video' | 'document' }
  | { readonly part: 'location'; readonly member: 'latitude' | 'longitude' | 'name' | 'address' }
  | { readonly part: 'button'; readonly index: number; readonly button: Button };

/** A value that the template needs. */
export type TemplateField = Place & { readonly id: string };

const variable = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** The variables of a text, each once. Those with numbers are in their order, as their values are. */
function variablesOf(text: string | null, variables: Template['variables']): string[] {
  const names = [...new Set(Array.from((text ?? '').matchAll(variable), ([, name = '']) => name))];
  return variables === 'named' ? names : names.sort((one, other) => Number(one) - Number(other));
}

const media = ['image', 'video', 'document'] as const;
const membersOfPlace = ['latitude', 'longitude', 'name', 'address'] as const;

/** The values that a template needs, in the order of the message. */
export const fieldsOf = ({ components, variables }: Template): TemplateField[] =>
  components.flatMap((component) => fieldsOfPart(component, variables).map((place) => ({ ...place, id: idOf(place) })));

function fieldsOfPart({ type, format, text, buttons }: Part, variables: Template['variables']): Place[] {
  if (type === 'header' && format === 'location') {
    return membersOfPlace.map((member) => ({ part: 'location', member }));
  }
  const file = type === 'header' ? media.find((known) => known === format) : undefined;
  if (file) return [{ part: 'media', format: file }];
  if (type === 'header' || type === 'body') {
    return variablesOf(text, variables).map((name) => ({ part: type, variable: name }));
  }
  return buttons.flatMap((button, index): Place[] => {
    const needsValue = button.type === 'copy_code' || (button.type === 'url' && button.url?.match(variable));
    return needsValue ? [{ part: 'button', index, button }] : [];
  });
}

function idOf(place: Place): string {
  if (place.part === 'media') return 'media';
  if (place.part === 'location') return `location.${place.member}`;
  return place.part === 'button' ? `button.${place.index}` : `${place.part}.${place.variable}`;
}

const isNumber = (field: TemplateField) =>
  field.part === 'location' && (field.member === 'latitude' || field.member === 'longitude');

/** Why the value cannot be sent. */
export function faultOfField(field: TemplateField, value = ''): 'missing' | 'address' | 'number' | undefined {
  if (value.trim() === '') return 'missing';
  if (field.part === 'media' && !/^https:\/\/\S+$/i.test(value.trim())) return 'address';
  return isNumber(field) && !/^-?\d{1,3}(\.\d+)?$/.test(value.trim()) ? 'number' : undefined;
}

/** Whether something is chosen that cannot be sent like this. */
export function isIncomplete({ chosen, values, typed }: TemplateDraft): boolean {
  if (chosen) return fieldsOf(chosen).some((field) => faultOfField(field, values[field.id]) !== undefined);
  return typed.name.trim() !== '' && typed.language.trim() === '';
}

/** The template as it is sent. Undefined: there is none. */
export function templateOf({ chosen, values, typed }: TemplateDraft): MessageTemplate | undefined {
  if (!chosen) return typed.name.trim() === '' ? undefined : templateAsTyped(typed);
  const { name, language } = chosen;
  const components = componentsOf(chosen, (id) => (values[id] ?? '').trim());
  return components.length === 0 ? { name, language } : { name, language, components };
}

function templateAsTyped({ name, language, values }: TypedTemplate): MessageTemplate {
  const lines = values
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const template = { name: name.trim(), language: language.trim() };
  if (lines.length === 0) return template;
  return { ...template, components: [{ type: 'body', parameters: lines.map((text) => ({ type: 'text', text })) }] };
}

function componentsOf(template: Template, typedIn: (id: string) => string): Record<string, unknown>[] {
  const header: unknown[] = [];
  const body: unknown[] = [];
  const buttons: Record<string, unknown>[] = [];
  const location: Record<string, unknown> = {};
  for (const field of fieldsOf(template)) {
    const value = typedIn(field.id);
    const text = { type: 'text', text: value };
    if (field.part === 'location') {
      location[field.member] = isNumber(field) ? Number(value) : value;
    } else if (field.part === 'media') {
      header.push({ type: field.format, [field.format]: { link: value } });
    } else if (field.part === 'button') {
      const { type } = field.button;
      const parameter = type === 'copy_code' ? { type: 'coupon_code', coupon_code: value } : text;
      buttons.push({ type: 'button', sub_type: type, index: field.index, parameters: [parameter] });
    } else {
      const part = field.part === 'header' ? header : body;
      part.push(template.variables === 'named' ? { ...text, parameter_name: field.variable } : text);
    }
  }
  if (Object.keys(location).length > 0) header.push({ type: 'location', location });
  const parts = [
    { type: 'header', parameters: header },
    { type: 'body', parameters: body },
  ];
  return [...parts.filter(({ parameters }) => parameters.length > 0), ...buttons];
}

/** What the customer will see. A variable without a value stays as it stands in the template. */
export function previewOf({ components }: Template, values: TemplateDraft['values']) {
  const filled = (part: Part) =>
    (part.text ?? '').replaceAll(variable, (whole, name: string) => values[`${part.type}.${name}`]?.trim() || whole);
  return {
    texts: components.filter(({ text }) => text !== null).map((part) => ({ part: part.type, text: filled(part) })),
    buttons: components.flatMap(({ buttons }) => buttons.map(({ text }) => text)),
  };
}

/** The text of the message as the list of messages will show it. Of a template that is typed its name. */
export const textOf = ({ chosen, values, typed }: TemplateDraft): string =>
  chosen
    ? previewOf(chosen, values)
        .texts.map(({ text }) => text)
        .join('\n\n') || chosen.name
    : typed.name.trim();
