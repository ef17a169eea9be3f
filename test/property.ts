import { relative } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'

/**
 * Property tests draw the same values in every run, except in CI. A failure prints its seed, and
 * the command that repeats it.
 */
const drawn = process.env.CI ? Date.now() % 2 ** 31 : 20_261_122
const seed = Number(process.env.SEED ?? drawn)

/** Throws as fast-check does, and says how to repeat the failure. */
function report(details: fc.RunDetails<unknown>): void {
  if (!details.failed) return
  const file = relative('.', expect.getState().testPath ?? '')
  const rounds = process.env.FAULTS === '1' ? 'FAULTS=1 ' : ''
  const command = `SEED=${details.seed} ${rounds}npm test -- ${file}`
  throw new Error(`${fc.defaultReportMessage(details)}\n\nTo repeat it: ${command}`, {
    cause: details.errorInstance,
  })
}

fc.configureGlobal({ seed, reporter: report })

export { fc }
