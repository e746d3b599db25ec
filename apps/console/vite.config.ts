import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the console is built for: the browsers that know `light-dark()`. */
const browsers = ['chrome123', 'firefox121', 'safari17.5'];

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
  },
});
