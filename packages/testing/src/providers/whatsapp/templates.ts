import type { Refusal } from './rules.ts';

/** A template as Meta shows it. */
export type StandInTemplate = {
  readonly id?: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category?: string;
  readonly components: readonly Record<string, unknown>[];
} & Record<string, unknown>;

const fields: ReadonlySet<string> = new Set([
  ...['id', 'name', 'language', 'status', 'category', 'sub_category', 'previous_category', 'components'],
  ...['rejected_reason', 'quality_score', 'parameter_format', 'message_send_ttl_seconds', 'library_template_name'],
]);

/**
 * The page that `GET /{business account}/message_templates` answers: `limit` templates (25 by default) behind the cursor
 * `after`, with the asked fields. `next` is there as long as another page follows.
 */
export function templatePage(
  templates: readonly StandInTemplate[],
  url: URL,
): Record<string, unknown> | { readonly refusal: Refusal } {
  const asked = (url.searchParams.get('fields') ?? 'name,language,status,category,components').split(',');
  const limit = Number(url.searchParams.get('limit') ?? 25);
  const after = url.searchParams.get('after');
  const start = after === null ? 0 : Number(Buffer.from(after, 'base64url').toString());
  const isSound = Number.isInteger(limit) && limit >= 1 && Number.isInteger(start) && start <= templates.length;
  if (!isSound || !asked.every((field) => fields.has(field))) return { refusal: { code: 100 } };
  const end = Math.min(start + limit, templates.length);
  const data = templates.slice(start, end).map((template, index) => ({
    ...Object.fromEntries(asked.flatMap((field) => (field in template ? [[field, template[field]]] : []))),
    id: template.id ?? String(1_000 + start + index),
  }));
  if (data.length === 0) return { data };
  const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
  const next = new URL(url);
  next.searchParams.set('after', cursor(end));
  return {
    data,
    paging: {
      cursors: { before: cursor(start), after: cursor(end) },
      ...(end < templates.length && { next: `${next}&access_token=secret` }),
    },
  };
}

/** The number of parameters of the component of this type. */
const count = (components: readonly Record<string, unknown>[], type: string): number => {
  const component = components.find((one) => String(one.type).toLowerCase() === type);
  return Array.isArray(component?.parameters) ? component.parameters.length : 0;
};

const variables = (template: StandInTemplate): number => {
  const body = template.components.find(({ type }) => type === 'BODY');
  return new Set(String(body?.text ?? '').match(/\{\{\w+\}\}/g) ?? []).size;
};

/** Why WhatsApp does not send this template. */
export function templateRefusal(
  templates: readonly StandInTemplate[],
  sent: { readonly name: string; readonly language: string; readonly components: readonly Record<string, unknown>[] },
): Refusal | undefined {
  const template = templates.find(({ name, language }) => name === sent.name && language === sent.language);
  if (template?.status === 'PAUSED') return { code: 132015 };
  if (template?.status === 'DISABLED') return { code: 132016 };
  if (template?.status !== 'APPROVED') return { code: 132001 };
  return variables(template) === count(sent.components, 'body') ? undefined : { code: 132000 };
}
