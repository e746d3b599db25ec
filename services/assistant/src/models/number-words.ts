/** The words of numbers in Portuguese, Spanish and English, as `foldAccents` leaves them. */
const valuesOf: readonly (readonly [value: number, words: string])[] = [
  ...[
    ['um uma un uno una one', 'dois duas dos two', 'tres three', 'quatro cuatro four', 'cinco five', 'seis six'],
    ['sete siete seven', 'oito ocho eight', 'nove nueve nine', 'dez diez ten', 'onze once eleven', 'doze doce twelve'],
    ['treze trece thirteen', 'quatorze catorze catorce fourteen', 'quinze quince fifteen'],
    ['dezesseis dezasseis dieciseis sixteen', 'dezessete dezassete diecisiete seventeen'],
    ['dezoito dieciocho eighteen', 'dezenove dezanove diecinueve nineteen'],
  ]
    .flat()
    .map((words, place) => [place + 1, words] as const),
  ...[
    ...['vinte veinte twenty', 'trinta treinta thirty', 'quarenta cuarenta forty', 'cinquenta cincuenta fifty'],
    ...['sessenta sesenta sixty', 'setenta seventy', 'oitenta ochenta eighty', 'noventa ninety'],
  ].map((words, place) => [20 + 10 * place, words] as const),
  ...['duzent doscient', 'trezent trescient', 'quatrocent cuatrocient', 'quinhent quinient', 'seiscent seiscient']
    .concat('setecent setecient', 'oitocent ochocient', 'novecent novecient')
    .map((stems, place) => [200 + 100 * place, stems.replaceAll(/\S+/g, '$&os $&as')] as const),
  ...([
    [100, 'cem cento cien ciento hundred'],
    [1_000, 'mil thousand'],
  ] as const),
];

const values: ReadonlyMap<string, number> = new Map(
  valuesOf.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)),
);
/** `veintiuno` and the like. */
const twenties = 'veinti';

const word = `(?:${twenties})?(?:${[...values.keys()].toSorted((a, b) => b.length - a.length).join('|')})`;

/** A number in at most 10 words, in a text without accents. */
export const numberWords = `${word}(?:[ -](?:(?:e|y|and) )?${word}){0,9}`;

/** Those of the hours of a clock. */
export const hourWords = [...values].flatMap(([one, value]) => (value <= 12 ? [one] : [])).join('|');

/** The value of a number in words. Pure. */
export function valueOfWords(written: string): number {
  let [whole, part] = [0, 0];
  for (const one of written.split(/[ -]/)) {
    const isTwenty = one.startsWith(twenties);
    const value = (isTwenty ? 20 : 0) + (values.get(isTwenty ? one.slice(twenties.length) : one) ?? 0);
    // `two hundred`, `dois mil`
    if (value === 1_000) [whole, part] = [whole + (part || 1) * value, 0];
    else part = one === 'hundred' ? (part || 1) * value : part + value;
  }
  return whole + part;
}

/** Lower case, and without accents but the one of `à`, which makes a time of a number. Its length may be another one. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0301-\u036f]/g, '')
    .normalize('NFC');
