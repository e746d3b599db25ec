import { type Language, languages } from '../languages/language.ts';

/** Where the documentation is. The pages of errors are below it, too. */
export const docsPath = '/docs';

/** The name above the line of a counter. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 10V3h2l4 4 4-4h2v7' fill='none' stroke='%237a5cc7' stroke-width='2'/%3E%3Crect y='13' width='16' height='2' fill='%237a5cc7'/%3E%3C/svg%3E";

const sections = {
  [docsPath]: { en: 'Reference', 'pt-BR': 'Referência' },
  [`${docsPath}/guides`]: { en: 'Guides', 'pt-BR': 'Guias' },
  [`${docsPath}/errors`]: { en: 'Errors', 'pt-BR': 'Erros' },
};
export type Section = keyof typeof sections;

const documentation = { en: 'Documentation', 'pt-BR': 'Documentação' };

/**
 * A page of the documentation, with the header that all of them have.
 *
 * @param page.language Of a page that exists in each language. Without it the page is in English, and has no language
 * switch.
 * @param page.content HTML that is put into the page as it is
 * @param page.markdown The address of the same text as Markdown
 */
export function layout(page: {
  title: string;
  section: Section;
  language?: Language;
  content: string;
  markdown?: string;
  isWide?: boolean;
}): string {
  const { title, section, language = 'en', content, markdown, isWide = false } = page;
  const source = markdown === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${markdown}">`;
  const links = Object.entries(sections).map(
    ([path, name]) => `<a href="${path}"${path === section ? ' aria-current="page"' : ''}>${name[language]}</a>`,
  );
  const { alternates, switches } = page.language ? otherLanguages(page.language) : { alternates: '', switches: '' };
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Mostrador' ? title : `${escapeHtml(title)} · Mostrador`}</title>
<link rel="icon" href="${icon}"><link rel="stylesheet" href="${docsPath}/assets/style.css">${alternates}${source}
</head><body>
<header class="bar"><a class="name" href="${docsPath}">Mostrador</a><nav aria-label="${documentation[language]}">${links.join('')}<a href="/openapi.json">OpenAPI</a>${switches}</nav></header>
${isWide ? content : `<main class="text">\n${scrolledByKeys(content)}\n</main>`}
</body></html>
`;
}

/** The keyboard scrolls only what can have the focus, and on a telephone code and tables are wider than the page. */
const scrolledByKeys = (content: string): string =>
  content.replaceAll(/<(pre|div class="scroll")>/g, '<$1 tabindex="0">');

/** The links to the same page in each language (for search engines), and in the other languages (for readers). */
function otherLanguages(language: Language): { alternates: string; switches: string } {
  const all = Object.entries(languages);
  return {
    alternates: all.map(([tag]) => `<link rel="alternate" hreflang="${tag}" href="?lang=${tag}">`).join(''),
    switches: all
      .filter(([tag]) => tag !== language)
      .map(([tag, name]) => {
        // Short, so that the header fits on a telephone.
        const label = tag.slice(0, 2).toUpperCase();
        return `<a href="?lang=${tag}" hreflang="${tag}" lang="${tag}" title="${name}">${label}</a>`;
      })
      .join(''),
  };
}

/** The page with links that keep its language, when a reader has chosen it with `?lang=`. */
export const keepLanguage = (html: string, language: Language): string =>
  html.replaceAll(/ href="(\/docs\/(?:guides|errors)[^"?#]*)(?=["#])/g, ` href="$1?lang=${language}`);

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
