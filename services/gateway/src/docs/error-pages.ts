import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import type { Language } from '../languages/language.ts';
import { errorTexts, inLanguage } from '../languages/translate.ts';
import { errorsOf, exampleProblem } from '../openapi/errors.ts';
import { errorPagePath } from '../plugins/problem.ts';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { type Guide, guidePath, guides } from './guides.ts';
import { docsPath, escapeHtml, layout } from './layout.ts';
import { operationPath } from './operation-path.ts';

const section = '/docs/errors';

const words = {
  en: {
    errors: 'Errors',
    lead: `Every error is a problem document (RFC 9457, <code>application/problem+json</code>) with a stable <code>code</code>. The <a href="${guidePath('errors')}">guide</a> says how a program handles them.`,
    columns: ['Status', 'Code', 'Title'],
    status: 'HTTP status',
    cause: 'Cause',
    remedy: 'Remedy',
    retryable: 'The same request may succeed later.',
    final: 'The same request fails again until something changes.',
    readMore: 'Read more',
    example: 'Example',
    operations: 'Operations',
    ofAll: 'Every operation can answer it.',
    ofNone: 'No operation names it: it belongs to a request outside of them.',
    all: 'All errors',
  },
  'pt-BR': {
    errors: 'Erros',
    lead: `Todo erro é um problem document (RFC 9457, <code>application/problem+json</code>) com um <code>code</code> estável. O <a href="${guidePath('errors')}">guia</a> diz como um programa trata os erros.`,
    columns: ['Status', 'Código', 'Título'],
    status: 'status HTTP',
    cause: 'Causa',
    remedy: 'Solução',
    retryable: 'A mesma requisição pode dar certo mais tarde.',
    final: 'A mesma requisição falha de novo enquanto nada mudar.',
    readMore: 'Leia mais',
    example: 'Exemplo',
    operations: 'Operações',
    ofAll: 'Qualquer operação pode responder com ele.',
    ofNone: 'Nenhuma operação o menciona: ele vem de uma requisição fora delas.',
    all: 'Todos os erros',
  },
};

/** The page that lists every error of the catalogue. */
export function errorListPage(language: Language): string {
  const { errors, lead, columns } = words[language];
  const rows = (Object.keys(errorCatalogue) as ErrorCode[])
    .toSorted((one, other) => errorCatalogue[one].status - errorCatalogue[other].status)
    .map((code) => {
      const link = `<a href="${errorPagePath(code)}"><code>${code}</code></a>`;
      const { title } = errorTexts(code, language);
      return `<tr><td>${errorCatalogue[code].status}</td><td>${link}</td><td>${html(title)}</td></tr>`;
    });
  const content = `<h1>${errors}</h1>
<p class="lead">${lead}</p>
<div class="scroll"><table><thead><tr>${columns.map((column) => `<th>${column}</th>`).join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`;
  return layout({ title: errors, section, language, content });
}

/** The page of one error code, to which the `type` of a problem document links. */
export function errorPage(code: ErrorCode, publicUrl: string, language: Language): string {
  const { status, retryable } = errorCatalogue[code];
  const { title } = errorTexts(code, language);
  const { cause, remedy } = explain(code, language);
  const guide = guideOf(code);
  const text = words[language];
  const example = inLanguage(exampleProblem(code, publicUrl), language);
  const content = `<h1>${html(title)}</h1>
<p class="lead"><code>${code}</code>, ${text.status} ${status}</p>
<h2>${text.cause}</h2>
<p>${html(cause)}</p>
<h2>${text.remedy}</h2>
<p>${html(remedy)}</p>
<p>${retryable ? text.retryable : text.final}
${text.readMore}: <a href="${guidePath(guide)}">${guides[guide][language].title}</a>.</p>
<h2>${text.example}</h2>
<pre><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>
<h2>${text.operations}</h2>
${operationsOf(code, language)}
<p><a href="${docsPath}/errors">${text.all}</a></p>`;
  return layout({ title, section, language, content });
}

/** The catalogue's description begins with the cause. Its other sentences say what to do. */
export function explain(code: ErrorCode, language: Language): { cause: string; remedy: string } {
  const { description } = errorTexts(code, language);
  const end = description.search(/\. (?=[\p{Lu}`])/u) + 1;
  return { cause: description.slice(0, end), remedy: description.slice(end + 1) };
}

const ofKeys = ['missing_api_key', 'invalid_api_key', 'quota_exceeded', 'tier_required', 'scope_required'];
const ofRetries = ['idempotency_key_reused', 'idempotency_in_progress', 'upstream_timeout', 'service_unavailable'];
const ofMessages = [
  ...['channel_not_connected', 'messaging_window_closed', 'lead_opted_out', 'lead_replied', 'message_expired'],
  'message_budget_reached',
];

function guideOf(code: ErrorCode): Guide {
  if (ofKeys.includes(code)) return 'authentication';
  if (ofRetries.includes(code)) return 'idempotency';
  if (ofMessages.includes(code)) return 'messages-and-windows';
  return code === 'version_mismatch' ? 'lists-and-sync' : 'errors';
}

function operationsOf(code: ErrorCode, language: Language): string {
  const named = routes.filter((route) => errorsOf(route).includes(code));
  if (named.length === routes.length) return `<p>${words[language].ofAll}</p>`;
  if (named.length === 0) return `<p>${words[language].ofNone}</p>`;
  const items = named.map((route) => {
    const { method, path, operation } = route;
    const name = `${method} ${documentedPath(path)}`;
    // The reference is in English alone.
    const summary = `<span lang="en">${html(operation.summary)}</span>`;
    return `<li><a href="${operationPath(route)}"><code>${name}</code></a> ${summary}</li>`;
  });
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** Escapes a text of the catalogue, and turns backticks into `<code>`. */
const html = (text: string): string => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
