import { type Operation, type RequestOf, Uuid } from '@mostrador/contracts';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import { compile } from '@mostrador/kit/schema/compile';
import { UsageError } from './exit.ts';

/** The option that a member of the request came from, where it is not the member's name with dashes. */
export type OptionNames = Readonly<Record<string, string>>;

/**
 * Validates a request against the operation's schema before the command sends anything. Undefined members count as left
 * out. Throws UsageError with every fault, each named by its option.
 */
export function checked<O extends Operation>(
  operation: O,
  body: Record<string, unknown>,
  names: OptionNames = {},
  params?: RequestOf<O> extends { params: infer P } ? P : never,
): RequestOf<O> {
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const request = { ...(params === undefined ? {} : { params }), body: sent };
  const faults = validateRequest(operation, request);
  if (faults.length === 0) return request as RequestOf<O>;
  throw new UsageError(
    faults.map((fault) => `${'pointer' in fault ? optionOf(fault.pointer, names) : fault.name} ${fault.detail}`),
  );
}

function optionOf(pointer: string, names: OptionNames): string {
  const [member, ...below] = pointer.replace(/^#\/?/, '').split('/');
  if (!member) return 'the command';
  if (member === 'secrets') return below.length > 0 ? `"${below.join('.')}" on standard input` : '--secrets-stdin';
  return names[member] ?? `--${member.replaceAll('_', '-')}`;
}

/** Converts typed digits to a number. Returns other text unchanged: the schema then rejects it by the option's name. */
export const wholeNumber = (typed: string): unknown => (/^-?[0-9]{1,15}$/.test(typed) ? Number(typed) : typed);

/** Like `wholeNumber`, but accepts up to 6 decimals. */
export const decimalNumber = (typed: string): unknown =>
  /^-?[0-9]{1,9}([.][0-9]{1,6})?$/.test(typed) ? Number(typed) : typed;

/** Converts `on` and `off` to a boolean. Returns other text unchanged, as `wholeNumber` does. */
export const onOrOff = (typed: string): unknown => (typed === 'on' || typed === 'off' ? typed === 'on' : typed);

const validateId = compile(Uuid);

/** Returns the id that an option gives. Throws UsageError when it is missing or no UUID. `of` names the resource. */
export function idFrom(typed: string | undefined, { option, of }: { option: string; of: string }): string {
  if (typed === undefined) throw new UsageError([`${option} is required`]);
  if (validateId(typed).length > 0) throw new UsageError([`${option} must be the UUID of ${of}`]);
  return typed;
}
