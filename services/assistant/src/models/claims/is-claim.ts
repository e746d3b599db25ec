import type { Form } from './form.ts';
import { after, any, before } from './pattern.ts';

/** Words without a meaning of their own, which may stand between a negation or a condition and a claim. */
const little = any(
  ...['eu', 'yo', 'os?', 'as?', 'uma?', 'los?', 'las?', 'el', 'una?', 'lhe', 'te', 'les?', 'se', 'me', 'nos'],
  ...['que', 'the', 'your?', 'i', 'we', 'it', 'nós', 'você', 'usted', 'seus?', 'suas?', 'te?u', 'tua', 'sus?', 'have'],
  ...['has', 'been', 'they'],
);
const negations = [
  'não',
  'nunca',
  'nem',
  'jamais',
  'jamás',
  'tampoco',
  'not',
  'never',
  'nothing',
  ...['nenhuma?', 'ningún', 'ninguna', 'any', 'sem', 'sin', 'without'],
  "(?:have|has|is|was)n['’]t",
];
const conditions = [
  ...['se', 'quando', 'caso', 'assim que', 'depois que', 'antes que', 'logo que', 'até que', 'uma vez que', 'para que'],
  ...['si', 'cuando', 'en cuanto', 'después de que', 'antes de que', 'hasta que', 'una vez que', 'después que'],
  ...['if', 'when', 'once', 'after', 'before', 'until', 'unless', 'whether', 'as soon as', 'so that', 'in case'],
];
/** Words before what the customer has said. */
const reported = [
  '(?:entendi|entiendo|entendí|lamento|sinto(?: muito)?|siento(?: mucho)?) que',
  '(?:você|vc|usted) (?:me )?(?:disse|falou|comentou|mencionou|dijo|comentó|mencionó)(?: que)?',
  '(?:me )?(?:disseste|dijiste|comentaste|mencionaste)(?: que)?',
  '(?:you (?:said|mentioned|told (?:me|us))|to hear|i understand)(?: that)?',
];
/** The text before a claim that is none. */
const notMeant = new RegExp(`${before}${any(...negations, 'no', ...conditions, ...reported)}(?: ${little}){0,3} $`);
/** A claim with a negation in it: `tu cita no fue cancelada`. In Portuguese, `no` also means "on the". */
const negated = new RegExp(`${before}(?:${any(...negations)}${after}|no (?:est|fue|qued|ha|he|se )|no longer)`);
/** The text after a claim that tells a rule, such as "is confirmed only after you pay". */
const rule = new RegExp(
  `^ ${any(
    ...[
      'somente',
      's[óo]',
      'apenas',
      'depois',
      'após',
      'assim que',
      'quando',
      'mediante',
      'se',
      'solo',
      'sólo',
      'después',
    ],
    ...['cuando', 'si', 'únicamente', 'only', 'once', 'after', 'when', 'if', 'upon', 'until', 'by'],
  )}${after}`,
);

/** Whether what looks like a claim is one: no negation, condition, rule or question. */
export function isClaim(
  { isActive, within, behind, ahead }: Form,
  sentence: string,
  { 0: found, index }: RegExpExecArray,
) {
  const [prior, rest] = [sentence.slice(0, index), sentence.slice(index + found.length)];
  if (within?.test(found) === false || behind?.test(prior) === false || ahead?.test(rest) === false) return false;
  if (notMeant.test(prior) || negated.test(found)) return false;
  if (!isActive && rule.test(rest)) return false;
  // A question that follows a claim, as in "it is cancelled, shall I book another?", is none about it.
  const isAsked = /\?\s*$/.test(rest.split(/[,;:—–]/)[0] ?? '');
  return !isAsked || (isActive === true && !inversion.test(sentence));
}

const inversion = /^\s*¿?\s*(?:have|had|did|has|should|shall|can|could|may)\b/;
