// Finds the test files that a change affects, for `npm test -- --changed`.
//
// A test file is affected when the change touches the file itself, or anything it imports or names
// by its path, directly or through others. A test file beside sources also depends on the sources
// of its folder. The helpers in test/ start the whole server, so by their imports every change
// would affect every test of an operation: what they import from src/ counts only for tests below
// test/, which look at the server as a whole. The full run is for everything else.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const CODE = '{src,test,sdk,dashboard,bench,scripts,bin}/**/*.{ts,tsx,js,mjs}'
/** A change to one of these files can affect any test. */
const EVERYTHING = [
  /^(package(-lock)?\.json|vitest\.config\.ts|migrations\/.*)$/,
  /^test\/(emptied|global-setup|harness|request)\.ts$/,
]
/** Matches code that finds files with a glob pattern containing the name of their folder. */
const PATTERN = /\b(glob|readdir)(Sync)?\(/
/** Possible paths: everything that is imported, spawned or read appears in quotes. */
const QUOTED = /'([^'\n]+)'|"([^"\n]+)"/g

/** Returns test files that differ from the merge base with a commit, or depend on such a file. */
export function affectedTests(since = 'HEAD') {
  const files = globSync(CODE, { exclude: (path) => /node_modules|dist$/.test(String(path)) })
  const tests = files.filter((path) => path.endsWith('.test.ts')).sort()
  const changed = new Set(changedSince(since))
  if (changed.size === 0) return []
  const isEverything = (path) => EVERYTHING.some((pattern) => pattern.test(path))
  if ([...changed].some(isEverything)) return tests
  const reaches = reacher(files)
  const folders = new Set([...changed].map((path) => path.split('/')[0]))
  const isReading = (path) => {
    if (!isWhole(path)) return false
    const text = readFileSync(path, 'utf8')
    const names = [...text.matchAll(QUOTED)].flatMap(([name]) => name.split(/\W+/))
    return PATTERN.test(text) && names.some((name) => folders.has(name))
  }
  return tests.filter((path) => isReading(path) || reaches(path, (one) => changed.has(one)))
}

const isWhole = (path) => path.startsWith('test/')

function changedSince(since) {
  const git = (...args) =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const [base = since] = git('merge-base', since, 'HEAD')
  return [
    ...git('diff', '--name-only', '--no-renames', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** Returns a function that tells whether a test file depends on a matching file. */
function reacher(files) {
  const known = new Map()
  const namesIn = (path) => {
    if (!known.has(path)) known.set(path, pathsNamedIn(path))
    return known.get(path)
  }
  const besides = (test) =>
    files.filter((path) => dirname(path) === dirname(test) && !path.endsWith('.test.ts'))

  return (test, isWanted) => {
    const seen = new Set([test, ...(isWhole(test) ? [] : besides(test))])
    // Iterating over a set includes entries that are added in the meantime.
    for (const path of seen) {
      if (isWanted(path)) return true
      const isHelper = isWhole(path) && !isWhole(test)
      for (const name of namesIn(path)) if (!isHelper || isWhole(name)) seen.add(name)
    }
    return false
  }
}

/** Returns the files that a file refers to, relative to the repository or to its own folder. */
function pathsNamedIn(path) {
  if (!/\.(tsx?|m?js)$/.test(path)) return []
  const names = [...readFileSync(path, 'utf8').matchAll(QUOTED)].map((found) =>
    found.slice(1).find(Boolean),
  )
  const candidates = names
    .filter((name) => /^[\w@./$-]+\.\w+$/.test(name))
    .flatMap((name) => [normalize(name), join(dirname(path), name)])
  return [...new Set(candidates)].filter((name) => !name.startsWith('..') && isFile(name))
}

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
