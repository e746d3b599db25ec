/** A frame of `text/event-stream`. A frame without `data` tells the position, or how long to wait before connecting again. */
export type Frame = { readonly id?: string; readonly data?: string; readonly retryMs?: number };

/**
 * Makes a function that takes the text of a stream piece by piece, and returns the frames that are complete. A frame that
 * its empty line has not ended does not count.
 */
export function frameParser(): (text: string) => Frame[] {
  let rest = '';
  let lines: string[] = [];
  return (text) => {
    // A CR at the end may be half of a line break.
    const parts = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    const frames: Frame[] = [];
    for (const line of parts) {
      if (line !== '') {
        lines.push(line);
        continue;
      }
      const frame = frameOf(lines);
      if (Object.keys(frame).length > 0) frames.push(frame);
      lines = [];
    }
    return frames;
  };
}

/** What the lines of a frame say. Comments and unknown fields say nothing. */
function frameOf(lines: readonly string[]): Frame {
  const fields = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    return [name, value];
  });
  const last = (name: string) => fields.filter((field) => field[0] === name).at(-1)?.[1];
  const [id, retry] = [last('id'), last('retry')];
  const data = fields.flatMap(([name, value]) => (name === 'data' ? [value] : []));
  return {
    ...(id === undefined ? {} : { id }),
    ...(data.length > 0 ? { data: data.join('\n') } : {}),
    ...(retry !== undefined && /^\d+$/.test(retry) ? { retryMs: Number(retry) } : {}),
  };
}
