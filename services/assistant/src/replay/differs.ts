import { changesSomething, type ReplayedSide } from '@mostrador/contracts';

/** Whether two answers to the same turn differ in what they do, or in what the lead reads. Pure. */
export function differs(before: ReplayedSide, after: ReplayedSide): boolean {
  const effectsOf = ({ tools }: ReplayedSide) => tools.map(({ tool }) => tool).filter(changesSomething);
  if (before.action !== after.action) return true;
  // The ids in the inputs are other ones, and the text comes only after the effect.
  if (before.action === 'use_tools') return effectsOf(before).join() !== effectsOf(after).join();
  return before.text !== after.text;
}
