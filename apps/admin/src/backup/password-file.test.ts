import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passwordIn, passwordLine } from './password-file.ts';

const text = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09:\\*#- %') });

test('a line gives back the password of its role, whatever characters it has', () => {
  fc.assert(
    fc.property(text, text, (mine, other) => {
      const file = `# a comment\n${passwordLine('someone', other)}\n${passwordLine('mostrador_backup', mine)}`;
      expect(passwordIn(file, 'mostrador_backup')).toBe(mine);
    }),
  );
});

test('a file for one server counts, and one without the role does not', () => {
  expect(passwordIn('db.internal:5432:*:mostrador_backup:p1\n', 'mostrador_backup')).toBe('p1');
  expect(passwordIn('', 'mostrador_backup')).toBeUndefined();
  expect(passwordIn('*:*:*:crm:p1\nno line', 'mostrador_backup')).toBeUndefined();
});
