import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const { compilerOptions } = JSON.parse(readFileSync(new URL('tsconfig.tests.json', import.meta.url), 'utf8')) as {
  compilerOptions: { paths: Record<string, [string]> };
};

export default defineConfig({
  resolve: {
    // Tests read the packages' sources, so a change needs no build; what runs the command line uses the build.
    alias: Object.entries(compilerOptions.paths).map(([name, [source]]) => ({
      find: new RegExp(`^${name}$`),
      replacement: fileURLToPath(new URL(source, import.meta.url)),
    })),
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts'],
    testTimeout: 30_000,
  },
});
