import { queryOptions, useQuery } from '@tanstack/react-query';
import { Image, MapPin } from 'lucide-react';
import type { Ref } from 'react';
import { wordsOf } from '../api/failure.ts';
import { allOf, pageOf } from '../api/pages.ts';
import { platform, type Template } from '../api/platform.ts';
import { storeQuery } from '../api/queries.ts';
import { RichText } from '../inbox/rich-text.tsx';
import { m } from '../paraglide/messages.js';
import { categoryName } from '../reports/categories.ts';
import { TextArea, TextField } from '../ui/field.tsx';
import { Picker } from '../ui/picker.tsx';
import { faultOfField, fieldsOf, previewOf, type TemplateDraft, type TemplateField } from './template.ts';
import styles from './template-fields.module.css';

/** What can be sent. A channel whose templates are not known has none. */
const templatesQuery = queryOptions({
  queryKey: ['templates', 'approved'],
  queryFn: () =>
    allOf((cursor) =>
      pageOf(platform.GET('/templates', { params: { query: { status: ['approved'], limit: 200, cursor } } })),
    ),
  staleTime: 60_000,
});

type TemplateFieldsProps = {
  readonly draft: TemplateDraft;
  readonly onChange: (draft: TemplateDraft) => void;
  /** Whether it says what is missing. */
  readonly isChecked: boolean;
  readonly ref?: Ref<HTMLInputElement>;
};

/** Chooses a template, and has a field for each value that it needs, and a preview. */
export function TemplateFields({ draft, onChange, isChecked, ref }: TemplateFieldsProps) {
  const { data: templates, error } = useQuery(templatesQuery);
  const { chosen, values } = draft;
  if (templates?.length === 0 && !chosen) {
    return <TypedFields draft={draft} onChange={onChange} isChecked={isChecked} ref={ref} />;
  }
  return (
    <div className={styles.fields}>
      <Picker
        ref={ref}
        label={m.template()}
        items={templates ?? []}
        filter={isFound}
        value={chosen}
        onChoose={(template) => onChange({ ...draft, chosen: template, values: {} })}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        moreOf={({ language, category }) => `${language} · ${categoryName(category)}`}
        none={error ? wordsOf(error) : templates && m.template_none_found()}
        placeholder={m.template_search()}
      />
      {chosen && (
        <>
          {fieldsOf(chosen).map((field) => (
            <TextField
              key={`${chosen.id} ${field.id}`}
              label={labelOf(field)}
              error={isChecked ? faultWords(field, values[field.id]) : undefined}
              maxLength={1024}
              dir="auto"
              value={values[field.id] ?? ''}
              onChange={({ target }) => onChange({ ...draft, values: { ...values, [field.id]: target.value } })}
            />
          ))}
          <Preview template={chosen} values={values} />
        </>
      )}
    </div>
  );
}

const isFound = ({ name, components }: Template, typed: string): boolean =>
  [name, ...components.map(({ text }) => text ?? '')].some((text) => text.toLowerCase().includes(typed.toLowerCase()));

const wordsOfMedia = {
  image: m.template_image,
  video: m.template_video,
  document: m.template_document,
} as const;
const wordsOfPlace = {
  latitude: m.template_latitude,
  longitude: m.template_longitude,
  name: m.template_place_name,
  address: m.template_place_address,
} as const;

function labelOf(field: TemplateField): string {
  if (field.part === 'media') return wordsOfMedia[field.format]();
  if (field.part === 'location') return wordsOfPlace[field.member]();
  if (field.part === 'button') {
    const { type, text } = field.button;
    return type === 'copy_code' ? m.template_code({ button: text }) : m.template_address_end({ button: text });
  }
  const name = `{{${field.variable}}}`;
  return field.part === 'header' ? m.template_header_value({ name }) : m.template_value({ name });
}

const words = { missing: m.template_missing, address: m.template_no_address, number: m.template_no_number };
function faultWords(field: TemplateField, value: string | undefined): string | undefined {
  const fault = faultOfField(field, value);
  return fault && words[fault]();
}

type PreviewProps = { readonly template: Template; readonly values: TemplateDraft['values'] };

/** The message as the customer will see it. */
function Preview({ template, values }: PreviewProps) {
  const { texts, buttons } = previewOf(template, values);
  const format = template.components.find(({ type }) => type === 'header')?.format;
  return (
    <section className={styles.preview} aria-label={m.template_preview()} dir="auto">
      {format === 'location' && <MapPin size={20} aria-hidden />}
      {format && format !== 'text' && format !== 'location' && <Image size={20} aria-hidden />}
      {texts.map(({ part, text }, index) => (
        // The parts of a template never move.
        <p key={`${index}`} className={styles[part]}>
          <RichText text={text} />
        </p>
      ))}
      {buttons.length > 0 && (
        <p className={styles.buttons}>
          {buttons.map((text, index) => (
            <span key={`${index}`}>{text}</span>
          ))}
        </p>
      )}
    </section>
  );
}

/** For a channel whose templates are not known: it checks the template itself when it is sent. */
function TypedFields({ draft, onChange, isChecked, ref }: TemplateFieldsProps) {
  const { data: store } = useQuery(storeQuery);
  const { typed } = draft;
  const change = (part: Partial<typeof typed>) => onChange({ ...draft, typed: { ...typed, ...part } });
  return (
    <div className={styles.fields}>
      <p className={styles.soft}>{m.template_unknown()}</p>
      <TextField
        ref={ref}
        label={m.template_name()}
        maxLength={512}
        value={typed.name}
        onChange={({ target }) =>
          change({ name: target.value, language: typed.language || (store?.locale.replace('-', '_') ?? '') })
        }
      />
      <TextField
        label={m.template_language()}
        error={
          isChecked && typed.name.trim() !== '' && typed.language.trim() === '' ? m.template_no_language() : undefined
        }
        maxLength={20}
        value={typed.language}
        onChange={({ target }) => change({ language: target.value })}
      />
      <TextArea
        label={m.template_values()}
        hint={m.template_values_hint()}
        maxLength={4000}
        value={typed.values}
        onChange={({ target }) => change({ values: target.value })}
      />
    </div>
  );
}
