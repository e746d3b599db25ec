import { claimsWithoutRow } from './claims/claims.ts';
import type { ModelRequest } from './model.ts';
import { ownTexts } from './own-texts.ts';
import { replyText } from './reply-text.ts';
import { takesOffer } from './takes-offer.ts';
import { removed } from './unknown-addresses.ts';
import { removeUnknownPrices } from './unknown-prices.ts';
import { untoldTime } from './untold-times.ts';

/**
 * A text of the model as a customer may get it: in WhatsApp's marks, without what would lead the customer elsewhere and
 * without prices that neither the store's documents nor its messages have. Pure.
 */
export function cleanText(written: string, request: ModelRequest): string {
  const sources = ownTexts(request);
  const said = request.conversation.filter(({ from }) => from === 'store').map(({ text }) => text);
  return removeUnknownPrices(replyText(written, sources), sources, said);
}

/** Why a text cannot be told: it claims what no tool has done, or a time that no one has offered. Undefined: it can. Pure. */
export function faultOf(text: string, request: ModelRequest): string | undefined {
  if (claimsWithoutRow(text, request) || takesOffer(text, request)) return 'claims what no tool has done';
  return untoldTime(text, request);
}

/**
 * A text that a tool keeps as it is kept, or why it cannot be. It is sent or shown later, when no one checks it, so nothing is
 * removed from it: the model writes another. Pure.
 */
export function keptText(written: string, request: ModelRequest): { readonly text?: string; readonly fault?: string } {
  const text = cleanText(written, request);
  if (text === '') return { fault: 'has no text' };
  if (text.includes(removed)) {
    return { fault: 'has a link, an address, a number, a price or a promise that stands in no passage' };
  }
  const fault = faultOf(text, request);
  return fault === undefined ? { text } : { fault };
}
