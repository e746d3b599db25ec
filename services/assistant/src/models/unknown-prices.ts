import { foldAccents, numberWords, valueOfWords } from './number-words.ts';
import { removed } from './unknown-addresses.ts';

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

/** Letters of a word, without those of other alphabets: patterns of these take long to compile. */
const letter = 'a-zà-ɏ';
const before = `(?<![${letter}\\d])`;
const after = `(?![${letter}\\d])`;

/**
 * An amount in words, in a text without accents: `cinquenta reais`. Without its currency it ends a clause behind a word of
 * prices: `sai por cinquenta`.
 */
const wordAmounts = new RegExp(
  `${before}(?<!\\d )(?:(?<priced>${numberWords}) (?:de )?(?:${foldAccents(names)})${after}|` +
    `(?:por|custa|cuesta|costs?|apenas|so|solo|only|just|for) (?<bare>${numberWords})(?=[^${letter}\\d -]|$))`,
  'g',
);
/** A smaller number in words without a currency is no price: `só dois`. */
const smallestBare = 20;

/** The value of an amount in words. Undefined: it is none, as in `um real prazer`. `rest`: the text behind it. */
function valueOfWordAmount({ groups = {} }: RegExpExecArray, rest: string): number | undefined {
  const { priced, bare = '' } = groups;
  const value = valueOfWords(priced ?? bare);
  return (priced === undefined ? value < smallestBare : value === 1 && /^ [a-z]/.test(rest)) ? undefined : value;
}

/** Words and signs by which the numbers beside them may be prices. */
const priceWords = new RegExp(
  `[$€£]|${before}(?:${codes.toLowerCase()}|${names}|pre[çc]os?|precios?|valor(?:es)?|custos?|custa[mr]?|cuesta[n]?|cost[oe]s?|cost|prices?|priced|tarifas?|taxas?|fees?|rates?|tabela|pague|pagar|pago|paga|cobramos|cobra-se|sai por|sale|sinal|entrada|mensalidade|a partir de|desde|por apenas|por s[óo])${after}`,
);

/** A number of a document that may be a price, as in a table: no place in a list, hour, date, duration, phone or percentage. */
const bareNumbers =
  /(?<![\d.,:/-])(?!(?<=^[ \t]{0,8})\d{1,3}[.)]\s)(?:\d{1,3}(?:[.,]\d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?)(?![.,]?\d|\s?[:/%]|-\d|\s?(?:h|hs|hrs?|m|min\w*|horas?|hours?|dias?|d[íi]as?|days?|semanas?|weeks?|mes(?:es)?|m[êe]s|months?|anos?|a[ñn]os?|years?|vezes|veces|times|x|vagas?|pessoas?|personas?|people|lugares?|unidades?|sess(?:ão|ões)|km|m²|kg|g|ml|l)\b)/gm;

/**
 * The bare numbers of a document that may be prices: those of a line with a currency or a word of prices, and of a table,
 * whose heading has it. A number of an address, a phone or a date permits no price.
 */
function barePrices(document: string): number[] {
  const prices: number[] = [];
  /** Whether the heading of the table, or of the list, that the line belongs to has such a word. */
  let isPriced = false;
  for (const line of document.toLowerCase().split('\n')) {
    const hasWord = priceWords.test(line);
    const isRow = /^\s*\||\t|^\s*[-*•+]\s|^\s*\d{1,3}[.)]\s|[;|]/.test(line);
    if (line.trim() !== '' && (hasWord || !isRow)) isPriced = hasWord;
    if (!hasWord && !(isRow && isPriced)) continue;
    const plain = line.replaceAll(
      /(?:\(\d{2,3}\) ?)?\d{4,5}-\d{4}|\+\d[\d ().-]{7,}|\d{5}-\d{3}|(?:rua|av\.?|avenida|calle|street|n[ºo°]|nº|sala|loja|andar|cep)[^,;|\n]{0,40},? ?\d+/g,
      ' ',
    );
    // In a sentence, only the numbers that follow the word closely.
    const parts = isRow ? [plain] : plain.split(/(?<=[.!?])\s+/).filter((part) => priceWords.test(part));
    for (const part of parts) for (const [found] of part.matchAll(bareNumbers)) prices.push(moneyOf(found));
  }
  return prices;
}

const whole = (text: string): string => text.normalize('NFC').toLowerCase();
/** A percentage, to whom a discount is promised, and a price without a currency. */
const discount = `(?:desconto|descuento|off|discount|de rebaja|rebaja|mais barato|m[áa]s barato|cheaper|cashback|de volta)`;
const promises = new RegExp(
  `${before}(?:(?<percent>\\d{1,3}(?:[.,]\\d+)?) ?%(?: de)? ${discount}|${discount} (?:de|of) (?<percent2>\\d{1,3}(?:[.,]\\d+)?) ?%` +
    // Not "por 10 minutos".
    `|(?<lead>(?:sai|fica|sale|queda|custa|cuesta|costs?|just|only|por|por apenas|por s[óo]|a s[óo]|apenas|s[óo]|solo|for(?: just| only)?) (?:por |a |for )?(?:apenas |s[óo] |solo |just |only )?)(?<amount>${number})(?!\\d|[.,:/]\\d| ?(?:%|[hx]${after}|[ap]\\.?m|-feira|[$€£]|\\*|[_~])| ?(?:de )?(?:${names}|${codes.toLowerCase()})| [${letter}]|[${letter}]))`,
  'g',
);
/** What is for nothing, with what it is said of. */
const free = `(?:gr[áa]tis|de gra[çc]a|gratuit[oa]s?|sem custo(?: algum| nenhum| adicional)?|sin costo|sin cargo|cortesia|cortes[íi]a|por conta da casa|cuenta de la casa|on the house|free of charge|for free|complimentary|no charge|at no cost|não (?:vai )?(?:paga|custa) nada|no (?:paga|cuesta) nada|costs nothing|free)`;
const frees = new RegExp(`${before}${free}${after}(?!-)`, 'g');
/** Whether the English `free` is a price where it stands, and not `feel free`, `free times` or `10 o'clock is free`. */
const isFreePrice = (prior: string, rest: string): boolean =>
  /(?:^|[.!?,:;\n*_~-]|\b(?:is|are|it['’]s|that['’]s|be|totally|completely|absolutely|comes|a|one|your|our|get|with|and|for))\s*$/.test(
    prior,
  ) &&
  !/\b(?:you|i|we|they|s?he) (?:are|am|is)\s*$|(?:slot|time|hour|day|morning|afternoon|evening|spot|chair|seat|\d)s?\b[^.!?]{0,20}$/.test(
    prior,
  ) &&
  !/^ (?:time|slot|day|hour|spot|chair|seat|place|of)s?\b/.test(rest);
const negation =
  /(?:não|nunca|nem|no|not|never|isn't|aren't|sem|sin|nothing|nada) (?:(?:é|há|tem|temos|está|es|hay|a|an|the|nada|be|for|mais|oferecemos|damos|fazemos|ofrecemos|offer|give) ){0,3}$/;

/** Replaces the end of each match that `partOf` names. `fold` gives the text that is searched, of the same length. */
function replaceIn(
  written: string,
  fold: (text: string) => string,
  pattern: RegExp,
  partOf: (match: RegExpExecArray, plain: string) => string | undefined,
): string {
  const plain = fold(written);
  if (plain.length !== written.length) return written;
  let [left, from] = ['', 0];
  for (const match of plain.matchAll(pattern)) {
    const part = partOf(match, plain);
    if (part === undefined) continue;
    const end = match.index + match[0].length;
    left += `${written.slice(from, end - part.length)}${removed}`;
    from = end;
  }
  return left + written.slice(from);
}
const lower = (text: string): string => text.toLowerCase();

/** Removes the promises that no source has: something for nothing, a discount, and a price without its currency. */
function removePromises(text: string, sources: string, amounts: ReadonlySet<number>): string {
  const known = whole(sources);
  const isFreeKnown = known.search(frees) >= 0;
  const percents = new Set([...known.matchAll(/(\d{1,3}(?:[.,]\d+)?) ?%/g)].map(([, percent = '']) => percent));
  const withoutAmounts = replaceIn(text, lower, promises, ({ 0: found, groups = {} }) => {
    const percent = groups.percent ?? groups.percent2;
    if (percent !== undefined) return percents.has(percent) ? undefined : found;
    return amounts.has(moneyOf(groups.amount ?? '')) ? undefined : (groups.amount as string);
  });
  if (isFreeKnown) return withoutAmounts;
  return replaceIn(withoutAmounts, lower, frees, ({ 0: found, index }, plain) => {
    const [prior, rest] = [plain.slice(Math.max(0, index - 60), index), plain.slice(index + found.length)];
    if (negation.test(prior) || (found === 'free' && !isFreePrice(prior, rest))) return undefined;
    return found;
  });
}

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
 * `said` before, and promises that stand in none of them: something for nothing, a discount. Pure.
 */
export function removeUnknownPrices(text: string, documents: readonly string[], said: readonly string[] = []): string {
  const sources = [...documents, ...said].join('\n');
  const allowed = new Set([
    ...[...sources.matchAll(amounts)].map(moneyOfMatch),
    ...[...foldAccents(sources).matchAll(wordAmounts)].flatMap((match) => valueOfWordAmount(match, '') ?? []),
    ...documents.flatMap((document) => barePrices(document)),
  ]);
  const left = text.replaceAll(amounts, (found: string, ...rest: unknown[]) =>
    allowed.has(moneyOfMatch({ groups: rest.at(-1) as Record<string, string> })) ? found : removed,
  );
  const withoutWords = replaceIn(left.normalize('NFC'), foldAccents, wordAmounts, (match, plain) => {
    const value = valueOfWordAmount(match, plain.slice(match.index + match[0].length));
    return value === undefined || allowed.has(value) ? undefined : (match.groups?.bare ?? match[0]);
  });
  return removePromises(withoutWords, sources, allowed);
}
