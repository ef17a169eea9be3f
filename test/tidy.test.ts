import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * What each part of src/ may import, besides itself; see ARCHITECTURE.md. Each part stands above
 * all that it imports, so that nothing points up.
 */
const MAY_IMPORT: Record<string, string[]> = {
  cli: [
    'main',
    'app',
    'console',
    'audit',
    'config',
    'version',
    'seed',
    'resources',
    'storage',
    'sweepers',
    'ledger',
    'db',
    'lib',
  ],
  main: ['app', 'config', 'log', 'version', 'console', 'resources', 'sweepers', 'db', 'lib'],
  app: [
    'version',
    'audit',
    'console',
    'routes',
    'http',
    'resources',
    'pdf',
    'mail',
    'providers',
    'sweepers',
    'ledger',
    'events',
    'storage',
    'outgoing',
    'lib',
  ],
  // What every slice has the audit check, in one list.
  audit: ['console', 'resources', 'ledger'],
  config: ['lib'],
  seed: ['resources', 'mail', 'providers', 'sweepers', 'ledger', 'events', 'db', 'lib'],
  version: [],
  log: [],
  // The session routes of the dashboard.
  console: ['routes', 'http', 'resources', 'mail', 'providers', 'sweepers', 'ledger', 'db', 'lib'],
  // Of a resource: what is mounted.
  routes: ['http', 'resources', 'pages', 'mail', 'providers', 'storage', 'db', 'lib'],
  http: ['pages', 'storage', 'db', 'lib'],
  resources: [
    'pages',
    'pdf',
    'mail',
    'providers',
    'storage',
    'outgoing',
    'sweepers',
    'ledger',
    'events',
    'db',
    'lib',
  ],
  mail: ['pages', 'sweepers', 'loader', 'db', 'lib'],
  pdf: ['loader', 'pages', 'lib'],
  pages: ['loader', 'lib'],
  providers: ['sweepers', 'db', 'lib'],
  storage: ['sweepers', 'db', 'lib'],
  outgoing: ['lib'],
  sweepers: ['db', 'lib'],
  ledger: ['db', 'lib'],
  events: ['db', 'lib'],
  db: ['lib'],
  lib: [],
  // Compiles the files of the others as they are loaded; imports none of them.
  loader: [],
}

const PARTS = Object.keys(MAY_IMPORT)

/** `src/resources/invoices/routes.ts` is of the part `routes`, `src/main.ts` of `main`. */
function partOf(path: string): string {
  const [, first = '', ...rest] = path.split('/')
  if (rest.length === 0) return first.replace(/\.[jt]s$/, '')
  return first === 'resources' && /routes\.ts$/.test(path) ? 'routes' : first
}

const read = (pattern: string | string[]) =>
  globSync(pattern, { exclude: (path) => /node_modules/.test(String(path)) })
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const all = read(['{src,test,bench}/**/*.{ts,tsx}', '{scripts,bin,src}/*.{js,mjs}'])
const isTest = (path: string) =>
  /\.test\.ts$|^test\/|\/(testing(-\w+)?|model|scratch)\.ts$/.test(path)
const source = all.filter(({ path }) => path.startsWith('src/') && !isTest(path))
const inPart = (...parts: string[]) => source.filter(({ path }) => parts.includes(partOf(path)))

const without = (files: typeof all, paths: string[]) =>
  files.filter(({ path }) => !paths.includes(path))

const IMPORT =
  /\b(?:import|export) (type )?(?:[\w*{][^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/g

const imports = source.flatMap(({ path, text }) =>
  [...text.matchAll(IMPORT)].map(([, type, plain, dynamic]) => {
    const name = plain ?? dynamic ?? ''
    const isOurs = name.startsWith('.')
    const to = isOurs ? join(dirname(path), name) : name
    return { from: path, to, isOurs, isType: type !== undefined }
  }),
)
// Commands that call the API do so by the SDK, as anybody's program would.
const ofSdk = imports.filter(({ to }) => to.startsWith('sdk/src/'))
const ours = imports.filter(({ isOurs, to }) => isOurs && !to.startsWith('sdk/src/'))

/** `file:line text` of each line that the pattern finds, comments aside. */
function linesWith(pattern: RegExp, files: { path: string; text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, i) => ({ line: line.replace(/^\s*(\/\/|\/?\*).*|\s\/\/ .*/, ''), i }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, i }) => `${path}:${i + 1} ${line.trim()}`),
  )
}

describe('imports', () => {
  test('of every part of src are settled here', () => {
    expect(new Set(source.map(({ path }) => partOf(path)))).toEqual(new Set(PARTS))
  })

  test('that are allowed never lead back to where they began', () => {
    const above = PARTS.flatMap((part, i) =>
      MAY_IMPORT[part]!.filter((other) => PARTS.indexOf(other) <= i).map((up) => `${part} → ${up}`),
    )
    expect(above).toEqual([])
  })

  test('point down only', () => {
    const up = ours
      .map(({ from, to }) => ({ from, to, part: partOf(from), other: partOf(to) }))
      .filter(({ part, other }) => part !== other && !MAY_IMPORT[part]?.includes(other))
    expect(up.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('of the SDK are of its front door, and of commands alone', () => {
    const odd = ofSdk.filter(({ from, to }) => partOf(from) !== 'cli' || to !== 'sdk/src/index.ts')
    expect(odd.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('of src by the dashboard need nothing else, and make it be built anew', () => {
    const builder = readFileSync('scripts/dashboard.mjs', 'utf8')
    const used = read('dashboard/src/**/*.{ts,tsx,css}').flatMap(({ text }) =>
      [...text.matchAll(/['"](?:\.\.\/)+(src\/[^'"]+)['"]/g)].map(([, path]) => path!),
    )
    expect(used.length).toBeGreaterThan(3)
    expect(used.filter((path) => !builder.includes(`'${path}'`))).toEqual([])
    expect(imports.filter(({ from }) => used.includes(from))).toEqual([])
  })

  test('of queries.ts come from its own folder alone', () => {
    const foreign = ours.filter(
      ({ from, to }) => /\/queries[\w-]*\.ts$/.test(to) && dirname(from) !== dirname(to),
    )
    expect(foreign.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('of lib do no input or output', () => {
    const pure = /^(node:(crypto|util|buffer)|typebox|dinero\.js\/.*|fast-json-stringify)$/
    const outside = imports.filter(
      ({ from, to, isOurs }) => partOf(from) === 'lib' && !isOurs && !pure.test(to),
    )
    expect(outside.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test.each([
    ['fastify', ['http', 'routes', 'app', 'main']],
    ['pg', ['db', 'cli']],
  ])('of %s stay in %j', (library, parts) => {
    const strays = imports.filter(
      ({ from, to, isType }) => to === library && !isType && !parts.includes(partOf(from)),
    )
    expect(strays.map(({ from }) => from)).toEqual([])
  })
})

describe('words', () => {
  test('of the resources are unknown to the kernel and the ledger', () => {
    const spoken = [
      // A sentence about the whole.
      'src/http/openapi.ts',
    ]
    const below = inPart('http', 'ledger', 'events', 'db', 'lib')
    const nouns = /\b(invoice|payment.?page|product|discount|split.?page)s?\b/i
    // The vocabulary of all failures.
    const words = below.filter(({ path }) => !path.startsWith('src/lib/error-codes/'))
    expect(linesWith(nouns, without(words, spoken))).toEqual([])
  })
})

describe('size', () => {
  test('no file of src is longer than 600 lines', () => {
    const long = source
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 600)
    expect(long).toEqual([])
  })

  test('no line is longer than 100 characters', () => {
    const long = all.flatMap(({ path, text }) =>
      text
        .split('\n')
        .map((line, i) => ({ line, at: `${path}:${i + 1}` }))
        .filter(({ line }) => [...line].length > 100 && !isOneLiteral(line)),
    )
    expect(long.map(({ at, line }) => `${at} has ${line.length}`)).toEqual([])
  })

  /** The formatter leaves a line that it can only break inside a literal. */
  const isOneLiteral = (line: string) => /(['"`/]).{40,}\1/.test(line) && !/^\s*(\*|\/)/.test(line)
})

describe('money', () => {
  test('is parsed, rounded and divided in lib/money.ts alone', () => {
    const files = source.filter(({ path }) => path !== 'src/lib/money.ts')
    const arithmetic =
      /parseFloat|[*/] 100n?\b|Math\.(round|floor|ceil|trunc)\([^)]*(amount|minor)/i
    const found = [...linesWith(arithmetic, files), ...linesWith(/toFixed/, files)]
    // Percentages of a bar and seconds may be rounded; amounts are printed by printMinor.
    expect(found.filter((line) => !/percent|second/i.test(line))).toEqual([])
  })
})

describe('ids', () => {
  test('are taken through the transaction in which they are needed', () => {
    // Without it, every connection may be in a transaction that waits for another one.
    const outside = linesWith(/(?<!take\(\) \?\? \(await )ids\.next\(\)/, source)
    expect(outside).toEqual([])
  })
})

describe('time', () => {
  test('is never the database’s own', () => {
    const migrations = read('migrations/*.sql')
    const sqlNow = /(^|[^.\w])now\(\)|\bcurrent_(date|time|timestamp)\b|localtime|_timestamp\(\)/
    const allowed = [
      // These say how far the two clocks are apart.
      'src/cli/doctor-database.ts',
      'src/http/operations.ts',
      // Is for people: when a migration was applied.
      'src/db/migrate.ts',
    ]
    const files = without([...source, ...migrations], [...allowed, 'src/lib/clock.ts'])
    expect(linesWith(sqlNow, files)).toEqual([])
  })

  test('that decides comes to a resource, the ledger or a provider from outside', () => {
    const files = inPart('resources', 'routes', 'ledger', 'events', 'providers', 'mail', 'pages')
    // The first business is made before there is a clock to ask.
    const asked = without(files, ['src/resources/businesses/first.ts'])
    expect(linesWith(/Date\.now\(\)|new Date\(\)/, asked)).toEqual([])
  })
})

describe('migrations', () => {
  test('build an index of a table that has rows step by step, concurrently', () => {
    const later = read('migrations/*.sql').filter(({ path }) => path >= 'migrations/0043')
    const wrong = later.flatMap(({ path, text }) => {
      const built = [...text.matchAll(/^create (?:unique )?index (concurrently )?\w+\s+on (\w+)/gm)]
      return built
        .filter(([, apart, table]) => !apart && !text.includes(`create table ${table} (`))
        .map(([statement]) => `${path}: ${statement}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('tests', () => {
  const tests = all.filter(({ path }) => path.endsWith('.test.ts'))

  test('are all run', () => {
    const left = without(tests, ['test/tidy.test.ts'])
    expect(linesWith(/\b(test|it|describe)\.(only|skip|todo|skipIf|runIf)\b/, left)).toEqual([])
  })

  test('of resources that speak HTTP begin with the status', () => {
    const http = tests.filter(
      ({ path, text }) => path.startsWith('src/resources/') && /\bstartServer\(/.test(text),
    )
    expect(http.length).toBeGreaterThan(2)
    // Of a test by itself, and of one over a table, which stands after its end.
    const title = /(?:\btest\(|^\s*(?:\w+\s*)?\]\)\(|\btest\.each\(\w+\)\()\s*(['"`])(.*?)\1/gm
    const asking = /await [\w.]*\b(get|post|put|call)\(/
    const wrong = http.flatMap(({ path, text }) => {
      const titles = [...text.matchAll(title)]
      return titles
        .filter(({ index }, i) => asking.test(text.slice(index, titles[i + 1]?.index)))
        .map(([, , words = '']) => words)
        .filter((words) => !/^(\d{3}|%[sid]|\$status)\b/.test(words))
        .map((words) => `${path}: ${words}`)
    })
    expect(wrong).toEqual([])
  })
})
