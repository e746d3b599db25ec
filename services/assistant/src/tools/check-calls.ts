import { toInstant } from '@mostrador/kit/rpc/validate';
import { compile } from '@mostrador/kit/schema/compile';
import { keptText } from '../models/clean-text.ts';
import type { ModelRequest, ToolCall } from '../models/model.ts';
import { inputs, membersNotOffered } from './offered-tools.ts';
import { mostCallsAtOnce, type NewCall } from './step.ts';

/** The longest input of a call, as JSON. */
const longestInput = 4_000;

/**
 * The calls of a model's answer, numbered from 1. One that is not allowed has its error as its output, and is never made.
 * Its input is not kept: no column may take it.
 */
export const checkCalls = (request: ModelRequest, calls: readonly ToolCall[]): NewCall[] =>
  calls.slice(0, mostCallsAtOnce).map(({ name, input: given }, place): NewCall => {
    const row = (output: NewCall['output']) => ({ call_id: String(place + 1), tool: name, input: null, output });
    const text = JSON.stringify(given ?? null);
    if (text.length > longestInput) return row({ error: 'invalid_input' });
    const tool = request.tools.find((offered) => offered.name === name);
    if (!tool) return row({ error: 'tool_not_offered' });
    // A copy, because the check fills in and trims.
    const input = JSON.parse(text);
    const faults = compile(inputs[name])(input).map(({ pointer, detail }) => `${pointer} ${detail}`);
    if (faults.length === 0) {
      faults.push(...membersNotOffered(tool, input).map((member) => `#/${member} is none that you were offered`));
    }
    const texts = faults.length === 0 ? keptTexts(input, request) : [];
    faults.push(...texts.flatMap(({ member, fault }) => (fault === undefined ? [] : [`#/${member} ${fault}`])));
    if (faults.length > 0) return row({ error: 'invalid_input', faults });
    // A name stays as it was given.
    const message = texts.find(({ member }) => member === 'message')?.text;
    return { ...row(null), input: message === undefined ? input : { ...input, message } };
  });

/** What the customer gets later, and the name that stands in their messages. No other member of an input has free text. */
function keptTexts(
  { message, name, days = 0 }: { readonly message?: string; readonly name?: string; readonly days?: number },
  request: ModelRequest,
) {
  // A follow-up is read on the day when it is sent.
  const now = new Date(toInstant(request.now).getTime() + days * 86_400_000).toISOString();
  return Object.entries({ message, name }).flatMap(([member, text]) =>
    text === undefined ? [] : [{ member, ...keptText(text, { ...request, now }) }],
  );
}
