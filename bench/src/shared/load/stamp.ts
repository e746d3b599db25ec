/** What a request says about itself, for the stand-in of a provider: its number, and when it was sent. */
type Stamp = { readonly index: number; readonly sentAtUs: number };

/** Stands in a prepared body for the stamp, and has its length. */
export const unstamped = '#00000000@0000000000000000';

/** The time in microseconds, comparable between the processes of one machine. */
export const nowUs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000);

export const stamp = (index: number, sentAtUs = nowUs()): string =>
  `#${String(index).padStart(8, '0')}@${String(sentAtUs).padStart(16, '0')}`;

/** The stamp in a text, if it has one. */
export function readStamp(text: string): Stamp | undefined {
  const found = /#(\d{8})@(\d{16})/.exec(text);
  return found ? { index: Number(found[1]), sentAtUs: Number(found[2]) } : undefined;
}
