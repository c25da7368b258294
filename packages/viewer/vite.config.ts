import { defineConfig } from 'vite';

export default defineConfig({
  // Paths of pages have folders (`/turn/…`), so assets are named from the top.
  base: '/',
  build: {
    target: 'es2022',
    sourcemap: false,
    modulePreload: false,
    cssCodeSplit: false,
    // The page's policy allows no inlined data but images; there are none to inline.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
