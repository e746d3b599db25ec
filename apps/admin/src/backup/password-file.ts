/** One of the five fields of a line, in which a backslash protects a colon and a backslash. */
const field = /((?:[^:\\]|\\.)*)(?::|$)/g;

/** A line of libpq's password file, for any server and database. */
export const passwordLine = (role: string, password: string): string =>
  `*:*:*:${role}:${password.replaceAll(/[:\\]/g, '\\$&')}`;

/** The password of a role in the text of such a file, or undefined. */
export function passwordIn(text: string, role: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, , , user, password] = [...line.matchAll(field)].map(([, value = '']) => value.replaceAll(/\\(.)/g, '$1'));
    if (user === role && password) return password;
  }
  return undefined;
}
