import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read the packages' sources, so a change needs no build; what runs the command line uses the build.
  resolve: { conditions: ['@hermes-observer/source'] },
  ssr: { resolve: { conditions: ['@hermes-observer/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts'],
    testTimeout: 30_000,
  },
});
