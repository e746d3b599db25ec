import type { Template } from '../channel-provider.ts';
import type { ProviderTemplate } from '../provider-template.ts';

type Components = ProviderTemplate['components'];
type Part = Components[number];

const part = (type: Part['type'], text: string | null, more: Partial<Part> = {}): Part => ({
  ...{ type, text, format: null, buttons: [] },
  ...more,
});

const template = (name: string, components: Components, more: Partial<ProviderTemplate> = {}): ProviderTemplate => ({
  ...{ name, language: 'en', status: 'approved', rejected_reason: null, category: 'utility', quality: 'green' },
  ...{ variables: 'positional', components },
  ...more,
});

/** What the sandbox bills a message as. */
export function categoryOf(template: Pick<Template, 'name' | 'language'> | null): string {
  if (!template) return 'service';
  const known = sandboxTemplates.find(({ name, language }) => name === template.name && language === template.language);
  return known?.category ?? 'utility';
}

/** The templates of every sandbox. They show what a channel may say of one: three are approved. */
export const sandboxTemplates: readonly ProviderTemplate[] = [
  template('order_ready', [part('body', 'Hello, {{1}}! Your order is ready.')]),
  template(
    'appointment_reminder',
    [
      part('body', 'Olá, {{name}}! Seu horário é às {{time}}.'),
      part('footer', 'Até logo!'),
      part('buttons', null, { buttons: [{ type: 'quick_reply', text: 'Confirmar', url: null }] }),
    ],
    { language: 'pt_BR', variables: 'named' },
  ),
  template(
    'new_collection',
    [
      part('header', null, { format: 'image' }),
      part('body', 'The new collection is here, {{1}}.'),
      part('buttons', null, { buttons: [{ type: 'url', text: 'See it', url: 'https://example.com/{{1}}' }] }),
    ],
    { category: 'marketing', quality: 'yellow' },
  ),
  template('winter_sale', [part('body', 'The sale begins, {{1}}!')], {
    ...{ status: 'paused', category: 'marketing', quality: 'red' },
  }),
  template('free_prize', [part('body', 'You have won a prize!')], {
    ...{ status: 'rejected', rejected_reason: 'SCAM', category: 'marketing', quality: 'unknown' },
  }),
];
