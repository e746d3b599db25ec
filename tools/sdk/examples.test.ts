import { expect, test } from 'vitest';
import { examplesOf, missingLines } from './examples.ts';

const readme = `
\`\`\`sh
npm install
\`\`\`

\`\`\`ts
console.log(one); // 1
if (two) {
  console.log('a // b', two); // 2 true
}
\`\`\`

\`\`\`python
print(one)  # 1
\`\`\`

\`\`\`ts
console.log(three);
\`\`\`
`;

test('the code blocks of one language are one program', () => {
  expect(examplesOf(readme, 'python')).toBe('print(one)  # 1\n');
  expect(examplesOf(readme, 'ts')).toMatch(/^console[\s\S]+}\n\nconsole\.log\(three\);\n$/);
});

test('a promised line that is missing or comes too early is found', () => {
  const program = examplesOf(readme, 'ts');
  expect(missingLines(program, 'zero\n1\n2 true\nthree\n')).toEqual([]);
  expect(missingLines(program, '1\n2\n')).toEqual(['2 true']);
  expect(missingLines(program, '2 true\n1\n')).toEqual(['2 true']);
  expect(missingLines(examplesOf(readme, 'python'), '')).toEqual(['1']);
});
