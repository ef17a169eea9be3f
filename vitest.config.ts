import { defineConfig } from 'vitest/config'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // One process per file would start Fastify and friends anew sixty times over.
    isolate: false,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    // Condition by condition, not by time: a slow machine is no failure.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default'],
  },
})
