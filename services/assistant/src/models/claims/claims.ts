/** Adverbs that change no claim. They are left out before it is looked for. */
const adverbs = new RegExp(
  `(?<!it['’]s |it is |that['’]s )${before}${any(
    ...['já', 'ya', 'agora', 'ahora', 'também', 'también', 'now', 'just', 'already', 'also', 'all', 'successfully'],
    ...['então', 'mesmo', 'oficialmente', 'officially', 'so', 'todo', 'tudo', 'devidamente', 'hereby'],
  )}${after} `,
  'g',

/** The words before a quotation, and the quotation: "you wrote: …". Only with these words before it, so that a claim between quotes is one. */
const quotation =
  /(?:você|cliente|mensagem|usted|mensaje|you|customer|message)[^."“”«»\n]{0,30}(?:disse|escreveu|falou|perguntou|diz|dijo|dijiste|escribió|escribiste|dice|said|wrote|asked|says)[^."“”«»\n]{0,20}["“«][^"“”«»\n]{1,300}["”»]/giu;

type Request = Pick<ModelRequest, 'results' | 'tools' | 'conversation' | 'now' | 'timezone'>;

/**
 * Whether a text says that an appointment was booked, moved, cancelled or is confirmed, and no row says so: no tool of this
 * turn has done just that, the server has confirmed it in no message before, and the customer has no such appointment. A
 * time that such a sentence names must be that of an appointment. Pure. It knows the grammar of such sentences in
 * Portuguese, Spanish and English, with common words, and not every one.
 */
export function claimsWithoutRow(text: string, request: Request): boolean {
  const { results, conversation, now, timezone } = request;
  const done = new Set(results.filter(isDone).map(({ name }) => name));
  const { appointments, changed } = knownMoments(request);
  const isTold = (effect: Effect) =>
    conversation.some(({ from, text: said }) => from === 'store' && toldBy[effect].test(said));
  const hasOne = appointments.length > 0 || request.tools.some(({ name }) => name === 'cancel');
  const today = localTimeOf(toInstant(now), timezone);

  const isShown = ({ kind, isActive }: Form, sentence: string): boolean => {
    const earlier = !isActive || isBefore.test(sentence);
    switch (kind) {
      case 'book':
        return done.has('book') || done.has('move') || (earlier && (hasOne || isTold('book')));
      case 'move':
        return done.has('move') || (done.has('book') && done.has('cancel')) || (earlier && isTold('move'));
      case 'cancel':
        return done.has('cancel') || (earlier && isTold('cancel'));
      case 'has':
        return done.has('book') || done.has('move') || hasOne || isTold('book') || isTold('move');
    }
  };
  const isItsTime = ({ kind }: Form, sentence: string): boolean => {
    const rows = kind === 'cancel' ? changed : [...changed, ...appointments];
    return rows.length === 0 || isTimeOf(sentence, rows, today);
  };
  return sentencesOf(text.replaceAll(quotation, '').normalize('NFC').toLowerCase()).some((sentence) => {
    const plain = sentence.replaceAll(adverbs, '');
    return forms.some(
      (form) =>
        [...plain.matchAll(form.pattern)].some((match) => isClaim(form, plain, match)) &&
        !(isShown(form, sentence) && isItsTime(form, sentence)),
    );
  });
}

const forms: readonly Form[] = [
  ...(['book', 'move', 'cancel'] as const).flatMap((effect) => [
    ...activeOf(effect, words[effect]),
    ...passiveOf(effect, words[effect]),
  ]),
  {
