import { readFileSync } from 'node:fs';
import { errorCatalogue } from '@mostrador/contracts';
import { Marked, type Tokens } from 'marked';
import { errorPagePath } from '../plugins/problem.ts';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { docsPath, escapeHtml, layout } from './layout.ts';
import { operationPath } from './operation-path.ts';

const folder = new URL('../../../../docs/guides/', import.meta.url);

/** The guides for integrators, in the order of the page that lists them. Each is a file of docs/guides. */
export const guides = {
  authentication: {
    title: 'Authentication',
    about: 'The key, what it may do, and how many requests it may send.',
  },
  idempotency: { title: 'Idempotency', about: 'Sending a request again without a second effect.' },
  'lists-and-sync': {
    title: 'Lists and sync',
    about: 'Walking through lists, and keeping a copy of them in another system.',
  },
  errors: { title: 'Errors', about: 'The form of every error, and what to do about it.' },
  'messages-and-windows': {
    title: 'Messages and windows',
    about: 'What becomes of a message, and when a channel accepts one.',
  },
} as const;
export type Guide = keyof typeof guides;

export const guidePath = (guide: Guide): string => `${docsPath}/guides/${guide}`;

/** The HTML page of a guide. */
export function guidePage(guide: Guide): string {
  const markdown = readFileSync(new URL(`${guide}.md`, folder), 'utf8');
  return layout({ title: guides[guide].title, section: '/docs/guides', content: renderGuide(markdown) });
}

/** The page that lists the guides. */
export function guideListPage(): string {
  const items = (Object.keys(guides) as Guide[]).map((guide) => {
    const { title, about } = guides[guide];
    return `<li><a href="${guidePath(guide)}">${title}</a><br>${about}</li>`;
  });
  const content = `<h1>Guides</h1>
<p class="lead">What the operations of the <a href="${docsPath}">reference</a> have in common.</p>
<ul class="list">
${items.join('\n')}
</ul>`;
  return layout({ title: 'Guides', section: '/docs/guides', content });
}

/**
 * A guide as HTML. Code that names an operation (`GET /leads`) or an error (`lead_exists`) becomes a link to it. Links to
 * other files lead to the pages that the gateway serves of them.
 */
function renderGuide(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      codespan({ text }: Tokens.Codespan) {
        const code = `<code>${escapeHtml(text)}</code>`;
        const path = pageOf(text);
        return path === undefined ? code : `<a href="${path}">${code}</a>`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(served(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="scroll"><table><thead>${row(token.header, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** The anchor of a heading, as git hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(/\s/g, '-');

function pageOf(code: string): string | undefined {
  if (Object.hasOwn(errorCatalogue, code)) return errorPagePath(code);
  const [method, path] = code.split(' ');
  const route = routes.find((each) => each.method === method && documentedPath(each.path) === path);
  return route && operationPath(route);
}

/** The address of a link in docs/guides: another guide, or the reference of errors. */
function served(href: string): string {
  const [file = '', anchor] = href.split('#');
  const after = anchor === undefined ? '' : `#${anchor}`;
  if (file === '../reference/errors.md') return `${docsPath}/errors`;
  const [, guide] = /^([\w-]+)\.md$/.exec(file) ?? [];
  return guide === undefined ? href : `${guidePath(guide as Guide)}${after}`;
}
