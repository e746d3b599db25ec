import {
  feedCatalogue,
  feedRetentionDays,
  feedTypes,
  holdMinutes,
  maxEventDataBytes,
  maxInFlight,
  maxWebhookEndpoints,
  messageStatuses,
  mostAvailabilityDays,
  mostFreeTimes,
  receiveSandboxMessage,
  requestsPerMinute,
  webhookTestType,
} from '@mostrador/contracts';
import { Marked } from 'marked';
import { expect, test } from 'vitest';
import { mostFollowers } from '../events/followers.ts';
import { createApiDocument } from '../openapi/document.ts';
import { routes } from '../routes/index.ts';
import { errorPage } from './error-pages.ts';
import { type Guide, guidePage, guides, guideText } from './guides.ts';

/**
 * What is the same in every language, in the order of the text: the levels of headings, the blocks and their sizes, and
 * code blocks. Prose differs.
 */
function shapeOf(markdown: string): string[] {
  const shape: string[] = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'heading') shape.push(`heading ${token.depth}`);
    if (token.type === 'paragraph') shape.push('paragraph');
    if (token.type === 'list') shape.push(`list of ${token.items.length}`);
    if (token.type === 'table') shape.push(`table of ${token.rows.length} rows and ${token.header.length} columns`);
    if (token.type === 'code') shape.push(`code ${token.lang} ${token.text}`);
  });
  return shape;
}

/** Code and links in each block. Inside of a block the order of words may differ between languages. */
function namesIn(markdown: string): string[] {
  const blocks = new Marked().lexer(markdown).filter(({ type }) => type !== 'space' && type !== 'code');
  return blocks.map((block) => {
    const names: string[] = [];
    new Marked().walkTokens([block], (token) => {
      if (token.type === 'codespan') names.push(`\`${token.text}\``);
      if (token.type === 'link') names.push(token.href.replace(/^(\.\.\/)+/, '../'));
    });
    return names.sort().join(' ');
  });
}

test.each(Object.keys(guides) as Guide[])(
  'the pt-BR guide %s has the headings, blocks, code and links of the English one: who changes one changes both',
  (guide) => {
    const [english, portuguese] = [guideText(guide, 'en'), guideText(guide, 'pt-BR')];
    expect(shapeOf(portuguese)).toEqual(shapeOf(english));
    expect(namesIn(portuguese)).toEqual(namesIn(english));
  },
);

const document = createApiDocument(routes, { publicUrl: 'https://api.example.com' }) as unknown as {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
};
const ofSandbox = receiveSandboxMessage.errors;
const words = new Set<string>([...(JSON.stringify(document).match(/[a-z]+(?:_[a-z0-9]+)+/g) ?? []), ...ofSandbox]);
const parameters = Object.values(document.paths).flatMap((item) =>
  Object.values(item).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
);
/** What a failed message or delivery says: the channel's codes, and those that are no errors of the API. */
const failure = /^(whatsapp_\d+|http_\d+|given_up|sandbox_unreachable|ai_paused)$/;
const types: readonly string[] = [...feedTypes, webhookTestType];
const entities = new Set(feedTypes.map((type) => type.split('.')[0]));

/** Why this code of a guide names something that the API does not have; undefined: it does. */
function wrongName(code: string): string | undefined {
  const [, method = '', path = '', query = ''] =
    /^(GET|POST|PUT|PATCH|DELETE) (\/[^\s?]*)(?:\?(\S+))?$/.exec(code) ?? [];
  if (method !== '') {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) return 'no such operation';
    const known = operation.parameters?.map(({ name }) => name) ?? [];
    return query.split('&').every((each) => each === '' || known.includes(each.split('=')[0] ?? ''))
      ? undefined
      : 'no such parameter';
  }
  const [, parameter] = /^([a-z_]+)=/.exec(code) ?? [];
  if (parameter !== undefined) return parameters.includes(parameter) ? undefined : 'no such parameter';
  if (/^[a-z]+(_[a-z0-9]+)+$/.test(code)) return words.has(code) || failure.test(code) ? undefined : 'no such name';
  // No file of a recipe.
  const [, entity = ''] = /^([a-z]+)\.(?!ts$)[a-z_]+$/.exec(code) ?? [];
  return entities.has(entity) && !types.includes(code) ? 'no such type of event' : undefined;
}

test.each(Object.keys(guides) as Guide[])('the guide %s names only what the API has', (guide) => {
  const codes: string[] = [];
  new Marked().walkTokens(new Marked().lexer(guideText(guide, 'en')), (token) => {
    if (token.type === 'codespan') codes.push(token.text);
  });
  expect(codes.length).toBeGreaterThan(3);
  expect(codes.flatMap((code) => (wrongName(code) ? [`${code}: ${wrongName(code)}`] : []))).toEqual([]);
});

test.each([
  ['GET /leeds', 'no such operation'],
  ['GET /leads?colour=red', 'no such parameter'],
  ['colour=red', 'no such parameter'],
  ['lead_colour', 'no such name'],
  ['lead.painted', 'no such type of event'],
  ['GET /messages?since=…', undefined],
  ['lead.created', undefined],
])('a wrong name in a guide is found: %s', (code, expected) => {
  expect(wrongName(code)).toBe(expected);
});

/** The first column of the table below a heading. */
function firstColumn(guide: Guide, heading: string): string[] {
  const [, after = ''] = guideText(guide, 'en').split(`## ${heading}\n`);
  const table = new Marked().lexer(after).find(({ type }) => type === 'table');
  return (table as unknown as { rows: { text: string }[][] }).rows.map(([cell]) =>
    (cell?.text ?? '').replaceAll('`', ''),
  );
}

test('the numbers and lists of the guides are those of the code', () => {
  const says = (guide: Guide, text: string) => expect(guideText(guide, 'en')).toContain(text);
  for (const [tier, rate] of Object.entries(requestsPerMinute))
    expect(guideText('authentication', 'en')).toMatch(new RegExp(`\\| ${tier} +\\| ${rate.toLocaleString('en')} `));
  says('webhooks', `at most ${maxWebhookEndpoints} endpoints`);
  says('webhooks', `up to ${maxInFlight}`);
  says('events', `keeps events for ${feedRetentionDays} days`);
  says('booking', `at most ${mostAvailabilityDays} days`);
  says('booking', `at most ${mostFreeTimes.toLocaleString('en')} entries`);
  says('booking', `for ${holdMinutes} minutes`);
  says('events', `at most ${maxEventDataBytes / 1024} KiB`);
  says('events', `at most ${mostFollowers} waiting requests and streams`);
  const withTag = routes.filter(({ method, versioned }) => method === 'GET' && versioned);
  expect(withTag.map(({ path }) => path.split('/').at(-1)).toSorted()).toEqual(
    [':leadId', ':sellerId', ':appointmentId', ':serviceId', 'rules', ':followupId', ':endpointId'].toSorted(),
  );
  says(
    'lists-and-sync',
    'A single lead, seller, appointment, service, follow-up or webhook endpoint comes with an `ETag`, and so do the booking rules.',
  );
  const bare = feedTypes.filter((type) => !feedCatalogue[type].object);
  expect(bare.toSorted()).toEqual([
    ...['assistant.budget_reached', 'assistant.handed_over', 'assistant.replied', 'assistant.silent'],
    ...[
      'booking.changed',
      'budget.reached',
      'channel.number_changed',
      'conversation.handed_over',
      'conversation.read',
      'lead.opted_in',
      'lead.opted_out',
    ],
  ]);
  says(
    'events',
    '`conversation.read`, `lead.opted_out` and `lead.opted_in` have none, nor do `assistant.replied`, `assistant.silent` and `assistant.handed_over`.',
  );
  expect(firstColumn('messages-and-windows', 'The life of a message').toSorted()).toEqual(
    [...messageStatuses].toSorted(),
  );
});

test('code and tables that are wider than a telephone can be scrolled by keyboard', () => {
  const pages = Object.keys(guides).flatMap((guide) => [
    guidePage(guide as Guide, 'en'),
    guidePage(guide as Guide, 'pt-BR'),
  ]);
  const scrolled = [...pages, errorPage('lead_not_found', 'https://example.com', 'en')]
    .join('')
    .match(/<pre[^>]*>|<[^<>]*"scroll"[^>]*>/g);
  expect(new Set(scrolled)).toEqual(new Set(['<pre tabindex="0">', '<div class="scroll" tabindex="0">']));
});
