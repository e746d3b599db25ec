import { expect, test } from 'vitest';
import { passwordFault } from './password-rules.ts';

const email = 'ana.lima@example.com';

test.each([
  'correct horse battery staple',
  'minha loja 2026 azul',
  'Tr0ub4dour&3xyz',
  'três pratos de trigo',
  '🐢🐇🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵',
  'x7K!x7K!zz9Q?m4',
  `a1b2c3d4e5f6${'q7w8'.repeat(47)}`,
])('%s is a password', (password) => {
  expect(passwordFault(password, email)).toBeUndefined();
});

test.each([
  ['elevenchars', 'at least 12'],
  ['🐢🐇🦊🐻🐼🐨🐯🦁🐮🐷🐸', 'at least 12'],
  [`${'ab1c'.repeat(50)}x`, 'at most 200'],
  ['ana.lima@example.com', 'email address'],
  ['Ana.Lima@Example.com', 'email address'],
  ['ana.lima2026!', 'email address'],
  ['password1234', 'easy to guess'],
  ['Contraseña2026!', 'easy to guess'],
  ['123456789012', 'easy to guess'],
  ['qwertyuiop123', 'easy to guess'],
  ['987654321098', 'easy to guess'],
  ['aaaaaaaaaaaaaaa', 'easy to guess'],
  ['abcabcabcabc', 'easy to guess'],
  ['senhasenha1234', 'easy to guess'],
  ['abcd efgh ijkl', 'easy to guess'],
])('%s is none: %s', (password, fault) => {
  expect(passwordFault(password, email)).toContain(fault);
});

test('the longest text is judged at once', () => {
  for (const unit of ['a', 'ab', '0123456789', 'p4$5w0rd', 'qwertyuiop']) {
    const password = unit.repeat(200).slice(0, 200);
    expect(passwordFault(password, email)).toBeDefined();
  }
});
