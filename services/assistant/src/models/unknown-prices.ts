/** In place of what was removed. */
const removed = '[…]';

/** `60`, `60,00`, `1.250,00`, `1,250.00`, `1 250` */
const number = String.raw`\d{1,3}(?:[.,' \u00a0\u202f]\d{3}){1,4}(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d{1,15}(?:[.,]\d{1,2}(?!\d))?`;
const thousand = String.raw`(?:[ \u00a0]?(?:mil|k|thousand)\b)`;
/** What may stand between a number and its currency: spaces, and the marks of bold and the like. */
const between = String.raw`[ \t\u00a0\u202f*_~]{0,4}`;
const codes = 'BRL|USD|EUR|GBP|MXN|ARS|CLP|COP|PEN|UYU|PYG|BOB';
const names =
  'rea(?:is|l)|d[óo]lar(?:es)?|dollars?|bucks|euros?|pesos?|sol(?:es)?|libras?|pounds?|guaran[íi](?:es|s)?|bolivianos?|contos?';

/** An amount of money: the currency stands before or behind the number. */
const amounts = new RegExp(
  `(?:(?:\\b[A-Z]{1,3})?\\$|[€£]|\\b(?:${codes})\\b)${between}(?<behind>(?:${number})${thousand}?)` +
    `|(?<![\\d.,])(?<before>(?:${number})${thousand}?)${between}(?:(?:(?:R|US|U)?\\$|[€£]|\\b(?:${codes})\\b)(?!${between}\\d)|(?:de )?\\b(?:${names})\\b)`,
  'gi',
);

/** A number of a document that may be a price, as in a table: no place in a list, hour, date, duration or percentage. */
const bareNumbers =
  /(?<![\d.,:/-])(?!(?<=^[ \t]{0,8})\d{1,3}[.)]\s)(?:\d{1,3}(?:[.,]\d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?)(?![.,]?\d|\s?[:/%]|\s?(?:h|hs|hrs?|m|min\w*|horas?|hours?|dias?|d[íi]as?|days?|semanas?|weeks?|mes(?:es)?|m[êe]s|months?|anos?|a[ñn]os?|years?|vezes|veces|times|x)\b)/gim;

/** The number that a writing means. Its thousands may have a point, a comma or a space between them. */
function moneyOf(written: string): number {
  const [, whole = '', part = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(written.replace(/[^\d]+$/, '')) ?? [];
  const value = Number(`${whole.replaceAll(/\D/g, '')}.${part || 0}`);
  return /[a-z]$/i.test(written) ? value * 1000 : value;
}

function moneyOfMatch({ groups = {} }: Pick<RegExpMatchArray, 'groups'>): number {
  const { behind, before } = groups;
  return moneyOf(behind ?? before ?? '');
}

/**
 * Removes from a text the amounts of money that stand neither in the documents nor, as amounts, in what the store has
 * `said` before. Pure.
 */
export function removeUnknownPrices(text: string, documents: readonly string[], said: readonly string[] = []): string {
  const allowed = new Set([
    ...[...[...documents, ...said].join('\n').matchAll(amounts)].map(moneyOfMatch),
    ...[...documents.join('\n').matchAll(bareNumbers)].map(([found]) => moneyOf(found)),
  ]);
  return text.replaceAll(amounts, (found: string, ...rest: unknown[]) =>
    allowed.has(moneyOfMatch({ groups: rest.at(-1) as Record<string, string> })) ? found : removed,
  );
}
