/** The examples of a README as one program: its code blocks of a language, from top to bottom. */
export const examplesOf = (readme: string, language: string): string =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code).join('\n');

/**
 * What the comments after `console.log(…)` and `print(…)` promise, and the output does not have. Each promise is a whole
 * line of the output, in their order; the output may have more lines.
 */
export function missingLines(program: string, output: string): string[] {
  const promised = [...program.matchAll(/^\s*(?:console\.log|print)\(.*(?:\/\/| {2}#) (.+)$/gm)].map(
    ([, line = '']) => line,
  );
  let lines = output.split('\n');
  return promised.filter((line) => {
    const index = lines.indexOf(line);
    lines = lines.slice(index + 1);
    return index < 0;
  });
}
