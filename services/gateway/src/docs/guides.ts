import { readFileSync } from 'node:fs';
import { errorCatalogue } from '@mostrador/contracts';
import { Marked, type Tokens } from 'marked';
import type { Language } from '../languages/language.ts';
import { errorPagePath } from '../plugins/problem.ts';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { docsPath, escapeHtml, layout } from './layout.ts';
import { operationPath } from './operation-path.ts';

const folder = new URL('../../../../docs/guides/', import.meta.url);

/** The guides for integrators, in the order of the page that lists them. The texts are in docs/guides. */
export const guides = {
  authentication: {
    en: { title: 'Authentication', about: 'The key, what it may do, and how many requests it may send.' },
    'pt-BR': { title: 'Autenticação', about: 'A chave, o que ela pode fazer e quantas requisições pode enviar.' },
  },
  idempotency: {
    en: { title: 'Idempotency', about: 'Sending a request again without a second effect.' },
    'pt-BR': { title: 'Idempotência', about: 'Como reenviar uma requisição sem um segundo efeito.' },
  },
  'lists-and-sync': {
    en: {
      title: 'Lists and sync',
      about: 'Walking through lists, and keeping a copy of them in another system.',
    },
    'pt-BR': {
      title: 'Listas e sincronização',
      about: 'Como percorrer listas e manter uma cópia delas em outro sistema.',
    },
  },
  events: {
    en: { title: 'Events', about: 'What happens in the store: reading the feed, waiting for it, following it.' },
    'pt-BR': { title: 'Eventos', about: 'O que acontece na loja: como ler o feed, esperar por ele e segui-lo.' },
  },
  webhooks: {
    en: { title: 'Webhooks', about: 'Events sent to your own system: verifying, answering, retries, sending again.' },
    'pt-BR': {
      title: 'Webhooks',
      about: 'Eventos enviados ao seu próprio sistema: verificar, responder, novas tentativas, reenvio.',
    },
  },
  errors: {
    en: { title: 'Errors', about: 'The form of every error, and what to do about it.' },
    'pt-BR': { title: 'Erros', about: 'A forma de todo erro, e o que fazer em cada caso.' },
  },
  agents: {
    en: { title: 'Agents', about: 'Which AI agent a lead gets, its instructions, and who has the last word.' },
    'pt-BR': {
      title: 'Agentes',
      about: 'Qual agente de IA um lead recebe, o que se diz a ele, e quem tem a última palavra.',
    },
  },
  booking: {
    en: { title: 'Booking', about: 'Rules, services and sellers: which times are free, and how one is kept.' },
    'pt-BR': {
      title: 'Agendamento',
      about: 'Regras, serviços e vendedores: quais horários estão livres, e como um deles é garantido.',
    },
  },
  'messages-and-windows': {
    en: {
      title: 'Messages and windows',
      about: 'What becomes of a message, and when a channel accepts one.',
    },
    'pt-BR': {
      title: 'Mensagens e janelas',
      about: 'O que acontece com uma mensagem, e quando um canal a aceita.',
    },
  },
  clients: {
    en: {
      title: 'SDKs and connectors',
      about: 'SDKs for TypeScript and Python, generated clients, and what a connector needs.',
    },
    'pt-BR': {
      title: 'SDKs e conectores',
      about: 'SDKs para TypeScript e Python, clientes gerados, e do que um conector precisa.',
    },
  },
  sandbox: {
    en: {
      title: 'Testing with the sandbox',
      about: 'A telephone in the browser, and numbers that provoke each outcome of a message.',
    },
    'pt-BR': {
      title: 'Testes com o sandbox',
      about: 'Um telefone no navegador, e números que provocam cada resultado de uma mensagem.',
    },
  },
  tour: {
    en: { title: 'A tour', about: 'Mostrador on your own machine, from a key to a webhook, in steps to paste.' },
    'pt-BR': {
      title: 'Um passeio',
      about: 'O Mostrador na sua máquina, de uma chave a um webhook, em passos para colar.',
    },
  },
} as const;
export type Guide = keyof typeof guides;

export const guidePath = (guide: Guide): string => `${docsPath}/guides/${guide}`;

/** The text of a guide in Markdown. */
export const guideText = (guide: Guide, language: Language): string =>
  readFileSync(new URL(language === 'en' ? `${guide}.md` : `${language}/${guide}.md`, folder), 'utf8');

/** The HTML page of a guide. Its headings have the anchors of the English ones, so that a link suits every language. */
export function guidePage(guide: Guide, language: Language): string {
  const { title } = guides[guide][language];
  const text = renderGuide(guideText(guide, language), headingsOf(guideText(guide, 'en')).map(anchorOf));
  const markdown = `${guidePath(guide)}.md`;
  const content = `${text}<p class="lead"><a href="${markdown}" type="text/markdown">Markdown</a></p>`;
  return layout({ title, section: '/docs/guides', language, content, markdown });
}

/** The headings of a text in Markdown. */
const headingsOf = (markdown: string): string[] =>
  new Marked().lexer(markdown).flatMap((token) => (token.type === 'heading' ? [token.text as string] : []));

const list = {
  en: {
    title: 'Guides',
    lead: `What the operations of the <a href="${docsPath}">reference</a> have in common.`,
    forPrograms: 'For programs: <a href="/llms.txt">llms.txt</a> lists the guides in Markdown, and the API document.',
  },
  'pt-BR': {
    title: 'Guias',
    lead: `O que as operações da <a href="${docsPath}">referência</a> têm em comum.`,
    forPrograms: 'Para programas: <a href="/llms.txt">llms.txt</a> lista os guias em Markdown e o documento da API.',
  },
};

/** The page that lists the guides. */
export function guideListPage(language: Language): string {
  const items = (Object.keys(guides) as Guide[]).map((guide) => {
    const { title, about } = guides[guide][language];
    return `<li><a href="${guidePath(guide)}">${title}</a><br>${about}</li>`;
  });
  const { title, lead, forPrograms } = list[language];
  const content = `<h1>${title}</h1>
<p class="lead">${lead}</p>
<ul class="list">
${items.join('\n')}
</ul>
<p class="lead">${forPrograms}</p>`;
  return layout({ title, section: '/docs/guides', language, content });
}

/**
 * A guide as HTML, with these anchors of its headings. Code that names an operation (`GET /leads`) or an error
 * (`lead_exists`) becomes a link to it. Links to other files lead to the pages that the gateway serves of them.
 */
function renderGuide(markdown: string, anchors: readonly string[]): string {
  const unused = [...anchors];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        return `<h${depth} id="${unused.shift()}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
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
export function served(href: string): string {
  const [file = '', anchor] = href.split('#');
  const after = anchor === undefined ? '' : `#${anchor}`;
  if (/^(\.\.\/)+reference\/errors\.md$/.test(file)) return `${docsPath}/errors`;
  const [, guide] = /^([\w-]+)\.md$/.exec(file) ?? [];
  return guide === undefined ? href : `${guidePath(guide as Guide)}${after}`;
}
