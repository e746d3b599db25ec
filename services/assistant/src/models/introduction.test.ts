import { expect, test } from 'vitest';
import { introductionTo, type Speaker } from './introduction.ts';
import { phrases } from './phrases.ts';

const agent = { name: 'Ana', language: null, disclosure: true };
const speaker: Speaker = { agent, locale: 'es-MX', isFirst: true };
const { iAmAi, helloAsAi, pleaseWrite, person } = phrases.es;

test.each([
  ['a first text', person, {}, [iAmAi('Ana')]],
  ['a first text without words of its own', '', {}, [iAmAi('Ana')]],
  ['the language of the agent', person, { agent: { ...agent, language: 'pt-BR' } }, [phrases.pt.iAmAi('Ana')]],
  ['the text of an agent that is not known', person, { agent: null }, [phrases.es.anAiWrites]],
  ['a later text', person, { isFirst: false }, []],
  ['an agent that does not disclose it', person, { agent: { ...agent, disclosure: false } }, []],
  ['a text that says so', `${iAmAi('Ana')}\n\nSí.`, {}, []],
  ['a text of the demonstration', `${helloAsAi('Ana')} Sí.`, {}, []],
  ['the request to write', pleaseWrite, {}, []],
])('says before %s that it is an AI, or need not', (_what, text, changed, expected) => {
  expect(introductionTo(text, { ...speaker, ...changed })).toEqual(expected);
});
