import { compile } from '@mostrador/kit/schema/compile';
import type { Tool, ToolCall } from '../models/model.ts';
import { mostCallsAtOnce, type NewCall } from './step.ts';

/** The longest input of a call, as JSON. */
const longestInput = 4_000;

/** The calls of a model's answer. One that is not allowed has its error as its output, and is never made. */
export const checkCalls = (tools: readonly Tool[], calls: readonly ToolCall[]): NewCall[] =>
  calls.slice(0, mostCallsAtOnce).map((call): NewCall => {
    const row = { call_id: String(call.id).slice(0, 200), tool: String(call.name).slice(0, 64) as ToolCall['name'] };
    const text = JSON.stringify(call.input ?? null);
    if (text.length > longestInput) return { ...row, input: null, output: { error: 'invalid_input' } };
    // A copy, because the check fills in and trims.
    const input = JSON.parse(text);
    const tool = tools.find(({ name }) => name === call.name);
    if (!tool) return { ...row, input, output: { error: 'tool_not_offered' } };
    const faults = compile(tool.input)(input).map(({ pointer, detail }) => `${pointer} ${detail}`);
    return { ...row, input, output: faults.length === 0 ? null : { error: 'invalid_input', faults } };
  });
