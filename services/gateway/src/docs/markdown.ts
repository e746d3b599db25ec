import { weightOfNamed } from '../http/media-type.ts';
import type { Language } from '../languages/language.ts';
import { type Guide, guidePath, guides, guideText, served } from './guides.ts';
import { docsPath } from './layout.ts';

/** Whether a program asks for Markdown: it names the type, and likes HTML no better. No browser names it. */
export function asksForMarkdown(accept: string | undefined): boolean {
  const weightOf = weightOfNamed(accept);
  const weight = weightOf('text/markdown');
  return weight > 0 && weight >= weightOf('text/html');
}

/** A guide as Markdown, with links to what the gateway serves: to Markdown of the other guides, in the chosen language. */
export function guideMarkdown(guide: Guide, language: Language, chosen: Language | undefined): string {
  const query = chosen === undefined ? '' : `?lang=${chosen}`;
  return guideText(guide, language).replaceAll(/\]\(([^)\s]+)\)/g, (_, href: string) => {
    const [path = '', anchor] = served(href).split('#');
    const isGuide = path.startsWith(`${docsPath}/guides/`);
    const target = isGuide ? `${path}.md${query}` : path;
    return `](${target}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

/** `/llms.txt` (llmstxt.org): what a program that reads documentation finds here. */
export function llmsText(publicUrl: string): string {
  const lines = (language: Language) =>
    (Object.keys(guides) as Guide[]).map((guide) => {
      const { title, about } = guides[guide][language];
      const query = language === 'en' ? '' : `?lang=${language}`;
      return `- [${title}](${publicUrl}${guidePath(guide)}.md${query}): ${about}`;
    });
  return `# Mostrador

> The server behind a store's customer service over messaging. Its REST API connects the store's own systems: leads, messages, appointments, follow-ups, reports, an event feed and webhooks.

Every request sends an API key of one store in \`X-API-Key\`. Errors are problem documents (RFC 9457) with a stable \`code\`. The AI answers leads in stores where the operator has switched it on.

## Reference

- [OpenAPI document](${publicUrl}/openapi.json): every operation with its parameters, schemas, errors and examples, and every type of event.
- [OpenAPI document as YAML](${publicUrl}/openapi.yaml): the same.
- [Errors](${publicUrl}${docsPath}/errors): every code with its cause and its remedy.

## Guides

${lines('en').join('\n')}

## Optional

${lines('pt-BR').join('\n')}
`;
}
