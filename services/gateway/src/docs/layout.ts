/** Where the documentation is. The pages of errors are below it, too. */
export const docsPath = '/docs';

/** The name above the line of a counter. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 10V3h2l4 4 4-4h2v7' fill='none' stroke='%237a5cc7' stroke-width='2'/%3E%3Crect y='13' width='16' height='2' fill='%237a5cc7'/%3E%3C/svg%3E";

const sections = {
  [docsPath]: 'Reference',
  [`${docsPath}/guides`]: 'Guides',
  [`${docsPath}/errors`]: 'Errors',
};
export type Section = keyof typeof sections;

/**
 * A page of the documentation, with the header that all of them have.
 *
 * @param content HTML that is put into the page as it is
 */
export function layout(page: { title: string; section: Section; content: string; isWide?: boolean }): string {
  const { title, section, content, isWide = false } = page;
  const links = Object.entries(sections).map(
    ([path, name]) => `<a href="${path}"${path === section ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Mostrador' ? title : `${escapeHtml(title)} · Mostrador`}</title>
<link rel="icon" href="${icon}"><link rel="stylesheet" href="${docsPath}/assets/style.css">
</head><body>
<header class="bar"><a class="name" href="${docsPath}">Mostrador</a><nav aria-label="Documentation">${links.join('')}<a href="/openapi.json">OpenAPI</a></nav></header>
${isWide ? content : `<main class="text">\n${content}\n</main>`}
</body></html>
`;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
