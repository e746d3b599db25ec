import type { Event } from '@mostrador/contracts';

/** An event in the format of `text/event-stream`. Its id is what the client sends as `Last-Event-ID`. */
export const eventFrame = (event: Event): string =>
  `id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** An event for a page that only looks what to read again: what happened to what, and nothing of the resource. */
export function hintFrame({ sequence, type, entity, data }: Event): string {
  const { lead_id } = data as { lead_id?: unknown };
  const hint = { sequence, type, entity, ...(typeof lead_id === 'string' ? { lead_id } : {}) };
  return `id: ${sequence}\ndata: ${JSON.stringify(hint)}\n\n`;
}

/**
 * Tells the client the position, without an event: a client that has filters, or that has not had an event yet, resumes
 * there. Clients ignore the comment, which keeps the connection alive.
 */
export const positionFrame = (sequence: number): string => `: heartbeat\nid: ${sequence}\n\n`;

/** After how long the client connects again when the stream ends. */
export const retryFrame = (ms: number): string => `retry: ${Math.round(ms)}\n\n`;
