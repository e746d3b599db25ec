import { passwordLength } from '@mostrador/contracts';

/** Words that many people choose, in the languages of our stores. Digits and signs around a word do not help it. */
const commonWords: ReadonlySet<string> = new Set(
  [
    'password passwords passw passwort contrasena contrasenia minhasenha novasenha senha senhas senhasenha secret secreto',
    'segredo admin administrador administrator welcome bemvindo bienvenido iloveyou teamo tequiero euteamo letmein',
    'changeme mudar mudarsenha trocarsenha temporaria provisoria default master dragon monkey football futebol brasil',
    'flamengo corinthians palmeiras saopaulo deusefiel jesus jesuscristo familia mostrador console loja minhaloja tienda',
    'mitienda login entrar acesso acceso user usuario test teste testeteste prueba demo',
  ]
    .join(' ')
    .split(' '),
);

/** Rows of a keyboard, the alphabet and the digits: neighbours in them are as easy to guess as one word. */
const rows = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azerty',
];
const bothWays = rows.flatMap((row) => [row, [...row].reverse().join('')]);
const leastDistinct = 5;

/**
 * What is wrong with a new password; undefined if nothing is. Length is what counts, and no kind of character is required
 * (NIST SP 800-63B, 3.1.1). It rejects what an attacker tries first: common words, rows, repetitions, the own address.
 */
export function passwordFault(password: string, email: string): string | undefined {
  const normal = password.normalize('NFKC');
  const length = [...normal].length;
  if (length < passwordLength.least) return `must have at least ${passwordLength.least} characters`;
  if (length > passwordLength.most) return `must have at most ${passwordLength.most} characters`;
  const lower = normal.toLowerCase();
  if (isAddress(lower, email.toLowerCase())) return 'must not be your email address';
  if (isCommon(lower)) return 'is too easy to guess; use several words that do not belong together';
  return undefined;
}

function isAddress(password: string, email: string): boolean {
  const [name = ''] = email.split('@');
  return password === email || withoutAffixes(password) === withoutAffixes(name);
}

function isCommon(password: string): boolean {
  const plain = withoutMarks(password).replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (new Set(password).size < leastDistinct) return true;
  if (isRepetition(plain)) return true;
  const word = withoutAffixes(withoutMarks(password));
  return commonWords.has(word) || isOfRows(plain) || isOfRows(word);
}

/** Whether the text repeats one piece of at most eight characters. */
const isRepetition = (text: string): boolean =>
  [1, 2, 3, 4, 5, 6, 7, 8].some(
    (size) => text.length >= 2 * size && text === text.slice(0, size).repeat(text.length).slice(0, text.length),
  );

/** Whether the text consists of pieces of the rows. Each piece but the last has at least three characters. */
function isOfRows(text: string): boolean {
  if (text === '') return false;
  let at = 0;
  while (at < text.length) {
    let length = 0;
    for (const row of bothWays) {
      let reached = 0;
      while (at + reached < text.length && row.includes(text.slice(at, at + reached + 1))) reached += 1;
      length = Math.max(length, reached);
    }
    if (length === 0 || (length < 3 && at + length < text.length)) return false;
    at += length;
  }
  return true;
}

/** Without accents. */
const withoutMarks = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');

/** Without the digits and signs before and after it. */
const withoutAffixes = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
