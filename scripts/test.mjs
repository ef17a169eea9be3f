// Runs the tests: npm test [-- vitest's arguments: src/http, -t 'a title', …], without those in a
// browser (npm run test:browser) and those that need other servers (npm run test:operations).
// --changed[=COMMIT] runs only what a change affects. Ends with a line of counts. A file that
// cannot be loaded counts as one failed test.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODE_MAJOR_MIN = 24

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  const { platform, arch, version } = process
  console.error(
    `The tests need Node ${NODE_MAJOR_MIN} or newer. npm brings it for Linux on x64 and arm64; ` +
      `this is ${version} on ${platform} ${arch}: install it from https://nodejs.org.`,
  )
  process.exit(1)
}

// A developer's settings for their own server must not change what is tested.
const settings = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^# ([A-Z_]+)=/gm)
for (const [, name] of settings) delete process.env[name]

/** Needs a Citus cluster, on which the tests then run (CONTRIBUTING.md). */
const NEEDS_CITUS = 'test/citus'
/** The suites that `npm test` leaves out, by the option that runs them. */
const SUITES = { '--browser': 'test/browser', '--operations': 'test/operations' }
const { suite, args } = await asked(process.argv.slice(2))
if (args === undefined) {
  console.log('The change affects no tests here.\n0 passed, 0 failed')
  process.exit(0)
}

const scratch = mkdtempSync(join(tmpdir(), 'tradepost-results-'))
const results = join(scratch, 'results.json')
const statements =
  process.env.TRADEPOST_TEST_STATEMENTS ?? mkdtempSync(join(scratch, 'statements-'))
const status = await vitest([
  'run',
  '--reporter=default',
  `--reporter=${join(ROOT, 'scripts', 'count-reporter.mjs')}`,
  ...args,
  ...(args.some((arg) => suiteOf(arg)) ? [] : only()),
])
const { passed, failed } = count(results)
const broken = await brokenRules()
rmSync(scratch, { recursive: true, force: true })
// An error outside any test, or a missing report, fails the run even if no test failed.
const counted = (failed === 0 && status !== 0 ? 1 : failed) + broken
console.log(`${passed} passed, ${counted} failed`)
process.exit(status !== 0 ? status : counted > 0 ? 1 : 0)

/**
 * Checks all statements that the tests sent to the database, and prints those that break a rule
 * (CONTRIBUTING.md). Returns how many.
 */
async function brokenRules() {
  if (!existsSync(join(statements, 'schema.json'))) return 0
  // Imported here because older versions of Node can't parse it.
  const { problemsIn } = await import('../test/statement-rules/check.ts')
  const isWhole = args.every((arg) => arg.startsWith('--retry=')) && !suite && status === 0
  const problems = problemsIn(statements, isWhole)
  for (const problem of problems) console.error(`\nFAIL statement: ${problem}`)
  return problems.length
}

/**
 * Runs one suite, or excludes all of them. Not used if the arguments name a path below the folder
 * of a suite: every command runs that path.
 */
function only() {
  if (suite) return [`${suite}/`]
  const folders = [...Object.values(SUITES), ...(process.env.CITUS_URL ? [] : [NEEDS_CITUS])]
  return folders.map((folder) => `--exclude=${folder}/**`)
}

function suiteOf(path) {
  return Object.values(SUITES).find((folder) => path.startsWith(folder))
}

/** Returns vitest's arguments, or undefined if --changed doesn't find any affected tests. */
async function asked(all) {
  const option = all.find((arg) => arg in SUITES)
  const suite = SUITES[option]
  const rest = all.filter((arg) => arg !== option)
  const changed = rest.find((arg) => /^--changed(=|$)/.test(arg))
  if (changed === undefined) return { suite, args: rest }
  // Imported here because older versions of Node can't parse it.
  const { affectedTests } = await import('./affected.mjs')
  const files = affectedTests(changed.split('=')[1]).filter((path) => suiteOf(path) === suite)
  if (files.length === 0) return { suite }
  return { suite, args: [...rest.filter((arg) => arg !== changed), ...files] }
}

function vitest(args) {
  const path = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const env = {
    ...process.env,
    TRADEPOST_TEST_COUNTS: results,
    TRADEPOST_TEST_STATEMENTS: statements,
    // Each worker and each program that a test starts loads the same packages.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'node'),
  }
  const child = spawn(process.execPath, [path, ...args], { cwd: ROOT, stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

function count(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
}
