import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * The parts of src/ from the top down: each can import the parts below it, and none above. A part
 * is a file, or a folder with everything in it except subfolders that have their own line; see
 * ARCHITECTURE.md.
 */
const ORDER = [
  'cli',
  'main',
  'serve',
  'processes',
  'seed',
  'app',
  'audit',
  'backup',
  // Reads across nouns.
  'overview',
  'simulator',
  'reconciliation',
  'sales/payment-pages/payer',
  'sales/checkout',
  'sales/discounts',
  'sales/payment-pages',
  'sales/orders',
  'sales/invoices',
  'sales/products',
  'payments/disputes',
  'payments/refunds',
  'payments/deposits',
  'payments/attempts',
  'money/ledger-book',
  'money/bills',
  'money/settlements',
  'money/payouts',
  'money/transfers',
  'money/split-pages',
  'money/subaccounts',
  'money/funding',
  'money/wallet',
  'money/banks',
  'developers/webhooks',
  'developers/events',
  'developers/request-log',
  'developers/mailbox',
  'business/providers',
  'business/team',
  'business/people',
  'business/partners',
  'business/account',
  'business/keys',
  'business/links',
  'business/holds',
  'business/audit-log',
  // The foundation.
  'config',
  'version',
  'log',
  'deps',
  'deep-links',
  'http',
  'mail',
  'pdf',
  'pages',
  'provider-orders',
  'providers',
  'providers/flutterwave',
  'providers/paystack',
  'providers/simulator',
  'providers/connector',
  'providers/banks',
  'files',
  'safe-fetch',
  'jobs',
  'ledger',
  'events',
  'encryption',
  'db',
  'tracing',
  'lib',
  'root',
  // Compiles the files of the others as they are loaded.
  'loader',
]

/** The parts of the dashboard, in the same order; the folders of screens are on one level. */
const DASHBOARD_ORDER = ['main.tsx', 'app', 'screens', 'ui', 'api', 'theme']

/** Parts that are below a part but closed to it: the kernel is only for routes. */
const PROVIDERS = ORDER.filter((part) => /^providers?\b/.test(part))
const NOT_FOR: Record<string, string[]> = {
  http: ['mail', ...PROVIDERS, 'ledger', 'events', 'jobs', 'safe-fetch', 'pdf'],
  events: ['ledger'],
  ledger: ['events'],
}

/** `src/sales/invoices/routes.ts` is of the part `sales/invoices`, `src/main.ts` of `main`. */
function partOf(path: string): string {
  const inner = path.replace(/^src\//, '').replace(/^([\w-]+)\.[jt]s$/, '$1')
  const part = ORDER.filter((one) => inner === one || inner.startsWith(`${one}/`))
  return part.sort((a, b) => b.length - a.length)[0] ?? inner
}

const read = (pattern: string | string[]) =>
  globSync(pattern, { exclude: (path) => /node_modules/.test(String(path)) })
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const all = read(['{src,test,bench}/**/*.{ts,tsx}', '{scripts,bin,src}/*.{js,mjs}'])
const isTest = (path: string) => /\.test\.ts$|\.fixture\.ts$|^test\//.test(path)
const source = all.filter(({ path }) => path.startsWith('src/') && !isTest(path))
const dashboard = read('dashboard/src/**/*.{ts,tsx}')
const inPart = (...parts: string[]) =>
  source.filter(({ path }) => parts.some((part) => path.startsWith(`src/${part}/`)))

const without = (files: typeof all, paths: string[]) =>
  files.filter(({ path }) => !paths.includes(path))

const IMPORT =
  /\b(?:import|export) (type )?(?:[\w*{][^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/g

const importsOf = (files: { path: string; text: string }[]) =>
  files.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)].map(([, type, plain, dynamic]) => {
      const name = plain ?? dynamic ?? ''
      const isOurs = name.startsWith('.')
      const to = isOurs ? join(dirname(path), name) : name
      return { from: path, to, isOurs, isType: type !== undefined }
    }),
  )
const imports = importsOf(source)
// Commands call the API through the SDK, like any other program.
const ofSdk = imports.filter(({ to }) => to.startsWith('sdk/src/'))
const ours = imports.filter(({ isOurs, to }) => isOurs && !to.startsWith('sdk/src/'))

/** Returns `file:line text` for each line that matches the pattern, without comments. */
function linesWith(pattern: RegExp, files: { path: string; text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, i) => ({ line: line.replace(/^\s*(\/\/|\/?\*).*|\s\/\/ .*/, ''), i }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, i }) => `${path}:${i + 1} ${line.trim()}`),
  )
}

/** `sales/products` is one part of several folders. */
const folderOf = (path: string) =>
  partOf(path) === 'sales/products' ? dirname(path) : partOf(path)

/** Returns the groups of nodes that all reach each other, in any number of steps. */
function circlesOf(edges: readonly (readonly [string, string])[]): string[][] {
  const next = Map.groupBy(edges, ([from]) => from)
  const reached = (start: string) => {
    const seen = new Set<string>()
    const todo = [start]
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      for (const [, to] of next.get(at) ?? []) {
        if (seen.has(to)) continue
        seen.add(to)
        todo.push(to)
      }
    }
    return seen
  }
  const all = new Map([...next.keys()].map((one) => [one, reached(one)]))
  const circles = [...all]
    .filter(([one, far]) => far.has(one))
    .map(([one, far]) => [one, ...[...far].filter((x) => x !== one && all.get(x)?.has(one))].sort())
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()]
}

describe('imports', () => {
  test('of every part of src are defined here', () => {
    expect([...new Set(source.map(({ path }) => partOf(path)))].sort()).toEqual([...ORDER].sort())
  })

  test('point down only', () => {
    const up = ours
      .map(({ from, to }) => ({ from, to, part: partOf(from), other: partOf(to) }))
      .filter(
        ({ part, other }) =>
          part !== other &&
          (ORDER.indexOf(part) > ORDER.indexOf(other) || NOT_FOR[part]?.includes(other)),
      )
    expect(up.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('have no cycles, neither of files by value nor of folders', () => {
    const plain = ours.filter(({ isType, from, to }) => !isType && from !== to)
    expect(circlesOf(plain.map(({ from, to }) => [from, to] as const))).toEqual([])
    // A folder and one inside of it are one part.
    const folders = ours
      .map(({ from, to }) => [folderOf(from), folderOf(to)] as const)
      .filter(([a, b]) => a !== b)
    expect(circlesOf(folders)).toEqual([])
  })

  test('of the dashboard point down only, without cycles', () => {
    const within = importsOf(dashboard).filter(({ to }) => to.startsWith('dashboard/src/'))
    expect(within.length).toBeGreaterThan(300)
    const place = (path: string) => DASHBOARD_ORDER.indexOf(path.split('/')[2]!)
    expect(dashboard.filter(({ path }) => place(path) < 0)).toEqual([])
    const up = within.filter(({ from, to }) => place(from) > place(to))
    expect(up.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
    const plain = within.filter(({ isType, from, to }) => !isType && from !== to)
    expect(circlesOf(plain.map(({ from, to }) => [from, to] as const))).toEqual([])
    const folders = within
      .map(({ from, to }) => [dirname(from), dirname(to)] as const)
      .filter(([a, b]) => a !== b)
    expect(circlesOf(folders)).toEqual([])
  })

  test('of the SDK use only its entry point, and only in commands and the demo shop', () => {
    const odd = ofSdk.filter(
      ({ from, to }) => !['cli', 'seed'].includes(partOf(from)) || to !== 'sdk/src/index.ts',
    )
    expect(odd.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('of src by the dashboard need nothing else, and trigger a new build', () => {
    const builder = readFileSync('scripts/dashboard.mjs', 'utf8')
    const used = read('dashboard/src/**/*.{ts,tsx,css}').flatMap(({ text }) =>
      [...text.matchAll(/['"](?:\.\.\/)+(src\/[^'"]+)['"]/g)].map(([, path]) => path!),
    )
    expect(used.length).toBeGreaterThan(3)
    expect(used.filter((path) => !builder.includes(`'${path}'`))).toEqual([])
    expect(imports.filter(({ from }) => used.includes(from))).toEqual([])
  })

  test('of queries.ts come only from its own folder', () => {
    const foreign = ours.filter(
      ({ from, to }) => /\/queries[\w-]*\.ts$/.test(to) && dirname(from) !== dirname(to),
    )
    expect(foreign.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('of lib involve no input or output', () => {
    const pure = /^(node:(crypto|util|buffer)|typebox|fast-json-stringify)$/
    const outside = imports.filter(
      ({ from, to, isOurs }) => partOf(from) === 'lib' && !isOurs && !pure.test(to),
    )
    expect(outside.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test.each([
    ['fastify', ['http', 'app', 'main', 'routes']],
    ['pg', ['db', 'cli']],
  ])('of %s stay in %j', (library, parts) => {
    const strays = imports.filter(
      ({ from, to, isType }) =>
        to === library &&
        !isType &&
        !parts.includes(partOf(from).split('/')[0]!) &&
        !(parts.includes('routes') && /routes|page\.ts$/.test(from)),
    )
    expect(strays.map(({ from }) => from)).toEqual([])
  })
})

/** Tables that several folders write, and why. */
const SHARED_TABLES: Record<string, string> = {
  digests_unsealed: 'writers of sealed rows insert their digests here, and sealing removes them',
  subaccount_entries:
    'payments and refunds add them with the shares they change; settlements take them',
  subaccounts: 'the statement that adds entries sets the day of the first settlement',
  transaction_shares: 'a refund counts what it takes of a share in the statement of its entry',
  transactions:
    'refunds and disputes count what they take, in the statements that lock the payment',
  webhook_deliveries: 'the statement of an event queues its deliveries',
}

/** These write a record with its event in one statement, because several would be too slow. */
const ONE_STATEMENT = [
  'src/sales/invoices/create.ts',
  'src/sales/products/catalogue/create.ts',
  // Inserts millions of test records.
  'src/seed/copies.ts',
]

describe('tables', () => {
  test('are each written in one folder, with a few exceptions', () => {
    const tables = new Set(
      read('migrations/*.sql').flatMap(({ text }) =>
        [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, table]) => table!),
      ),
    )
    expect(tables.size).toBeGreaterThan(70)
    const writes = without(source, ONE_STATEMENT).flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g)]
        .filter(([, table]) => tables.has(table!))
        .map(([, table]) => ({ table: table!, folder: folderOf(path) })),
    )
    const shared = [...Map.groupBy(writes, ({ table }) => table)]
      .map(([table, all]) => ({ table, folders: new Set(all.map(({ folder }) => folder)) }))
      .filter(({ folders }) => folders.size > 1)
    const unexpected = shared.filter(({ table }) => !Object.hasOwn(SHARED_TABLES, table))
    expect(unexpected.map(({ table, folders }) => `${table}: ${[...folders].sort()}`)).toEqual([])
    const names = shared.map(({ table }) => table)
    expect(Object.keys(SHARED_TABLES).filter((table) => !names.includes(table))).toEqual([])
  })
})

describe('words', () => {
  test('for resources do not appear in the kernel and the ledger', () => {
    const spoken = [
      // General descriptions.
      'src/http/openapi.ts',
      // The names of the collections.
      'src/lib/scopes.ts',
    ]
    const below = inPart('http', 'ledger', 'events', 'db', 'lib')
    const nouns = /\b(invoice|payment.?page|product|discount|split.?page)s?\b/i
    // All error codes.
    const words = below.filter(({ path }) => !path.startsWith('src/lib/error-codes.ts'))
    expect(linesWith(nouns, without(words, spoken))).toEqual([])
  })
})

describe('size', () => {
  test('no file of src or of the dashboard is longer than 600 lines', () => {
    const long = [...source, ...dashboard]
      .filter(({ path }) => path !== 'dashboard/src/api/operations.ts') // Generated.
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

  test('no literal is spread into another object, to keep several properties on a line', () => {
    expect(linesWith(/\.\.\.\{ /, [...all, ...dashboard])).toEqual([])
  })

  /** The formatter leaves a line that it can only break inside a literal. */
  const isOneLiteral = (line: string) => /(['"`/]).{40,}\1/.test(line) && !/^\s*(\*|\/)/.test(line)
})

describe('money', () => {
  test('is parsed, rounded and divided only in lib/money.ts', () => {
    const files = source.filter(({ path }) => path !== 'src/lib/money.ts')
    const arithmetic =
      /parseFloat|[*/] 100n?\b|Math\.(round|floor|ceil|trunc)\([^)]*(amount|minor)/i
    const found = [...linesWith(arithmetic, files), ...linesWith(/toFixed/, files)]
    // Percentages of a bar and seconds may be rounded; amounts are printed by printMinor.
    expect(found.filter((line) => !/percent|second/i.test(line))).toEqual([])
  })
})

describe('ids', () => {
  test('are taken through the transaction that needs them', () => {
    // Otherwise every connection could be in a transaction that waits for another one.
    const outside = linesWith(/(?<!take\(\) \?\? \(await )ids\.next\(\)/, source)
    expect(outside).toEqual([])
  })
})

describe('time', () => {
  test('is never the database’s own', () => {
    const migrations = read('migrations/*.sql')
    const sqlNow = /(^|[^.\w])now\(\)|\bcurrent_(date|time|timestamp)\b|localtime|_timestamp\(\)/
    const allowed = [
      // These measure the difference between the two clocks.
      'src/cli/doctor.ts',
      'src/http/health-and-metrics.ts',
      // Measures how old what a replica has is.
      'src/db/replicas.ts',
      // Shows when a migration was applied.
      'src/db/migrate.ts',
    ]
    const files = without([...source, ...migrations], [...allowed, 'src/lib/clock.ts'])
    expect(linesWith(sqlNow, files)).toEqual([])
  })

  test('that decides is a parameter of resources, the ledger and providers', () => {
    const files = inPart(
      ...['sales', 'payments', 'money', 'developers', 'business', 'simulator'],
      ...['ledger', 'events', 'provider-orders', 'providers', 'mail', 'pages'],
    )
    // The first business is created before there is a clock.
    const asked = without(files, ['src/business/account/bootstrap.ts'])
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
      ({ path, text }) =>
        /^src\/(sales|payments|money|developers|business\/(keys|partners))\//.test(path) &&
        /\bstartServer\(/.test(text),
    )
    expect(http.length).toBeGreaterThan(2)
    // The title of a single test, or of one over a table, where it follows the table.
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
