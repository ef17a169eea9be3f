// Writes the numbers of passed and failed tests to the file named in TRADEPOST_TEST_COUNTS, for the
// last line of `npm test`. A file that cannot be loaded counts as one failed test. Prints which
// tests passed only when they were run again (--retry), and why they had failed.

import { writeFileSync } from 'node:fs'

export default class CountReporter {
  onTestRunEnd(modules) {
    let passed = 0
    let failed = 0
    for (const module of modules) {
      const before = failed
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result()
        if (test.diagnostic()?.flaky) {
          const why = errors.map(({ message }) => `  ${message}`).join('\n')
          console.log(`\nPassed only when run again: ${test.fullName}\n${why}`)
        }
        if (state === 'passed') passed++
        if (state === 'failed') failed++
      }
      if (module.state() === 'failed' && failed === before) failed++
    }
    writeFileSync(process.env.TRADEPOST_TEST_COUNTS, JSON.stringify({ passed, failed }))
  }
}
