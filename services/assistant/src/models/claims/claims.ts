import { sentencesOf } from '../moments.ts';
import { activeOf } from './active.ts';
import { deeds, type Effect } from './deeds.ts';
import type { Form } from './form.ts';
import { appointmentForms } from './has-appointment.ts';
import { isClaim } from './is-claim.ts';
import { isTrue, knownOf } from './is-true.ts';
import { passiveOf } from './passive.ts';
import { after, any, before } from './pattern.ts';

/** Adverbs that change no claim. They are left out before it is looked for. */
const adverbs = new RegExp(
  `(?<!it['’]s |it is |that['’]s )${before}${any(
    ...['já', 'ya', 'agora', 'ahora', 'também', 'también', 'now', 'just', 'already', 'also', 'all', 'successfully'],
    ...['então', 'mesmo', 'oficialmente', 'officially', 'so', 'todo', 'tudo', 'devidamente', 'hereby'],
  )}${after} `,
  'g',
);

/** The words before a quotation, and the quotation: "you wrote: …". Only with these words before it, so that a claim between quotes is one. */
const quotation =
  /(?:você|cliente|mensagem|usted|mensaje|you|customer|message)[^."“”«»\n]{0,30}(?:disse|escreveu|falou|perguntou|diz|dijo|dijiste|escribió|escribiste|dice|said|wrote|asked|says)[^."“”«»\n]{0,20}["“«][^"“”«»\n]{1,300}["”»]/giu;

const forms: readonly Form[] = [
  ...(Object.keys(deeds) as Effect[]).flatMap((effect) => [
    ...activeOf(effect, deeds[effect]),
    ...passiveOf(effect, deeds[effect]),
  ]),
  ...appointmentForms,
];

/**
 * Whether a text says that an appointment was booked, moved, cancelled or is confirmed, and no row says so: no tool of this
 * turn has done just that, the server has confirmed it in no message before, and the customer has no such appointment. A
 * time that such a sentence names must be that of an appointment. Pure. It knows the grammar of such sentences in
 * Portuguese, Spanish and English, with common words, and not every one.
 */
export function claimsWithoutRow(text: string, request: Parameters<typeof knownOf>[0]): boolean {
  const known = knownOf(request);
  return sentencesOf(text.replaceAll(quotation, '').normalize('NFC').toLowerCase()).some((sentence) => {
    const plain = sentence.replaceAll(adverbs, '');
    return forms.some(
      (form) =>
        [...plain.matchAll(form.pattern)].some((match) => isClaim(form, plain, match)) &&
        !isTrue(form, sentence, known),
    );
  });
}
