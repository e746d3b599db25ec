import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the console is built for: the browsers that know `light-dark()`. */
const browsers = ['chrome123', 'firefox121', 'safari17.5'];

/** The texts of the navigation, each of which is also the title of a screen. */
const navigation = readFileSync(join(import.meta.dirname, 'src/shell/navigation.ts'), 'utf8');
const titles = [...navigation.matchAll(/label: m\.(\w+)/g)].map(([, name]) => name).join('|');

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // No file may become a `data:` URL, which the content security policy forbids for scripts and styles.
  build: {
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // By itself each part that some screens share is a file, and each file costs a request. What nearly all screens
          // share is one. What few share stays apart, because the first screen would load it for nothing.
          groups: [
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            { name: 'titles', test: new RegExp(`paraglide.messages.(${titles})\\.js$`) },
            { name: 'parts', test: /src.(ui|api|leads|paraglide)./, minShareCount: 8 },
          ],
        },
      },
    },
  },
});
