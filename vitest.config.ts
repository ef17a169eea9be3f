import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Alone at the end, one of these would hold up all. */
const LONGEST =
  /(dashboard-screens|seed\/seed|cli\/seed|cli\/cli|openapi\/tools|http\/failures)\.test/

/** Large files first, as ever; before them those that take longest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/statement-rules/recorder.ts'],
    // One process per file would start Fastify and friends anew sixty times over.
    isolate: false,
    pool: 'forks',
    // With room for what a file makes, a fifth less goes into collecting garbage.
    execArgv: ['--max-semi-space-size=64'],
    // A file waits half of its time: for a time-out, a process, the disk.
    maxWorkers: Math.min(2 * availableParallelism(), 8),
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    // Condition by condition, not by time: a slow machine is no failure.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // What is slower is listed.
    slowTestThreshold: 3_000,
    reporters: ['default'],
  },
})
