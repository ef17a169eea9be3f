// Measures the size of the code: node scripts/count.mjs [--json] [--operations [--files]]
//
// Counts files and lines of src without tests and test helpers, files of each noun, lines of the
// dashboard without texts, and how many files an operation reaches: those whose definitions its
// handler uses, directly or through others, without the kernel (http, app), db and lib.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NODE_MAJOR_MIN = 24

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  const pinned = join('node_modules', `node-${process.platform}-${process.arch}`, 'bin/node')
  const { status } = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(status ?? 1)
}

// Imported here because older versions of Node can't parse it.
const { parseSync } = await import('vite')

const args = process.argv.slice(2)
const list = (...paths) =>
  execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
const linesOf = (path) => readFileSync(path, 'utf8').split('\n').length - 1
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0)

/** Test helpers, including their former names, so that old checkouts can be counted too. */
const HELPERS = new RegExp(
  [
    /\.fixture\.tsx?$/,
    /\/testing(-[a-z-]+)?\.ts$/,
    /ledger\/(model|audit-damages)\.ts$|embedded\/scratch\.ts$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
const isSource = (path) =>
  /\.(ts|tsx|js)$/.test(path) && !/\.test\.tsx?$/.test(path) && !HELPERS.test(path)

const src = list('src').filter(isSource)
/** Not counted, as it is generated from the server's description and not meant to be read. */
const GENERATED = 'dashboard/src/api/operations.ts'
const dashboard = list('dashboard/src').filter((path) => isSource(path) && path !== GENERATED)
const withoutTexts = dashboard.filter(
  (path) => !path.includes('/texts/') && !path.endsWith('/texts.ts'),
)

const AREAS = ['sales', 'payments', 'money', 'developers', 'business', 'resources']
const NOUN = new RegExp(`^src/((?:${AREAS.join('|')})(?:/products)?)/([\\w-]+)/`)
const nouns = Map.groupBy(src, (path) => {
  const [, area, noun] = NOUN.exec(path) ?? []
  if (!area) return `${dirname(path).split('/').slice(0, 2).join('/')}`
  return `${area}/${noun}`
})

const SKIP = new Set(['type', 'start', 'end', 'range', 'loc', 'parent'])
const isNode = (x) => x !== null && typeof x === 'object' && typeof x.type === 'string'
function walk(node, visit) {
  visit(node)
  for (const key of Object.keys(node)) {
    if (SKIP.has(key)) continue
    const value = node[key]
    if (Array.isArray(value)) {
      for (const x of value) if (isNode(x)) walk(x, visit)
    } else if (isNode(value)) walk(value, visit)
  }
}
function namesIn(pattern, out = []) {
  walk(pattern, (n) => {
    if (n.type === 'Identifier') out.push(n.name)
  })
  return out
}

/** path → { own: name → node, imports: name → { path, name }, reexports } */
const files = new Map()
for (const path of src) {
  const { program } = parseSync(path, readFileSync(path, 'utf8'))
  const own = new Map()
  const imports = new Map()
  const again = new Map()
  for (const stmt of program.body) {
    if (stmt.type === 'ImportDeclaration') {
      if (!stmt.source.value.startsWith('.') || stmt.importKind === 'type') continue
      const from = join(dirname(path), stmt.source.value)
      for (const sp of stmt.specifiers ?? [])
        if (sp.importKind !== 'type')
          imports.set(sp.local.name, { path: from, name: sp.imported?.name ?? '*' })
      continue
    }
    if (stmt.type === 'ExportNamedDeclaration' && stmt.source) {
      if (stmt.exportKind === 'type') continue
      const from = join(dirname(path), stmt.source.value)
      for (const sp of stmt.specifiers)
        if (sp.exportKind !== 'type')
          again.set(sp.exported.name, { path: from, name: sp.local.name })
      continue
    }
    const node = stmt.declaration ?? stmt
    if (node.type === 'VariableDeclaration')
      for (const d of node.declarations) for (const n of namesIn(d.id)) own.set(n, d)
    else if (node.id && !node.type.startsWith('TS')) own.set(node.id.name, node)
  }
  files.set(path, { own, imports, again })
}

const uses = new Map()
function usesOf(path, name, node) {
  const key = `${path}#${name}`
  if (uses.has(key)) return uses.get(key)
  const file = files.get(path)
  const found = new Set()
  walk(node, (n) => {
    if (n.type !== 'Identifier' && n.type !== 'JSXIdentifier') return
    if (n.name === name) return
    if (file.own.has(n.name)) found.add(`${path}#${n.name}`)
    else if (file.imports.has(n.name)) {
      const i = file.imports.get(n.name)
      found.add(`${i.path}#${i.name}`)
    }
  })
  uses.set(key, [...found])
  return uses.get(key)
}
function reach(path, start, also) {
  const seen = new Set()
  const todo = [...start]
  while (todo.length > 0) {
    const key = todo.pop()
    if (seen.has(key)) continue
    seen.add(key)
    const [at, name] = key.split('#')
    const file = files.get(at)
    if (!file) continue
    const again = file.again.get(name)
    if (again) {
      todo.push(`${again.path}#${again.name}`)
      continue
    }
    if (name === '*') {
      for (const n of file.own.keys()) todo.push(`${at}#${n}`)
      continue
    }
    const node = file.own.get(name)
    if (node) todo.push(...usesOf(at, name, node))
  }
  const reached = new Set([path, ...also])
  for (const key of seen) {
    const [at, name] = key.split('#')
    if (files.get(at)?.own.has(name)) reached.add(at)
  }
  return reached
}
const isKernel = (path) =>
  /^src\/(http|db|lib|app)\//.test(path) || /^src\/[\w-]+\.[jt]s$/.test(path)

const operations = []
for (const [path, { own, imports }] of files) {
  if (!/routes\.ts$/.test(path)) continue
  const { program } = parseSync(path, readFileSync(path, 'utf8'))
  walk(program, (node) => {
    if (node.type !== 'CallExpression' || !node.callee.name) return
    const spec = node.arguments[0]
    const operation = spec?.properties?.find((p) => p.key?.name === 'operation')?.value?.value
    if (!operation) return
    const start = []
    walk(spec, (n) => {
      if (n.type !== 'Identifier') return
      if (own.has(n.name)) start.push(`${path}#${n.name}`)
      else if (imports.has(n.name)) {
        const i = imports.get(n.name)
        start.push(`${i.path}#${i.name}`)
      }
    })
    const reached = [...reach(path, start, [])]
    operations.push({
      operation,
      files: reached.filter((p) => !isKernel(p)).length,
      all: reached.length,
      reached,
    })
  })
}
operations.sort((a, b) => a.files - b.files)
const at = (share) =>
  operations[Math.min(operations.length - 1, Math.floor(operations.length * share))]?.files

const sizes = src.map(linesOf).sort((a, b) => a - b)
const result = {
  src: {
    files: src.length,
    lines: sum(sizes),
    median: sizes[Math.floor(sizes.length / 2)],
    p90: sizes[Math.floor(sizes.length * 0.9)],
    max: sizes.at(-1),
  },
  dashboard: {
    files: withoutTexts.length,
    lines: sum(withoutTexts.map(linesOf)),
    withTexts: sum(dashboard.map(linesOf)),
  },
  operations: {
    count: operations.length,
    median: at(0.5),
    p90: at(0.9),
    max: operations.at(-1)?.files,
    largest: operations.at(-1)?.operation,
  },
  nouns: Object.fromEntries(
    [...nouns].map(([noun, paths]) => [noun, paths.length]).sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
}
if (args.includes('--json')) console.log(JSON.stringify(result, null, 2))
else {
  const { src: s, dashboard: d, operations: o } = result
  const say = (...words) => console.log(words.join(' '))
  say(
    'src without tests and helpers  ',
    s.files,
    'files,',
    s.lines,
    'lines; a file has',
    s.median,
    '(median),',
    s.p90,
    '(p90),',
    s.max,
    '(most)',
  )
  say(
    'dashboard without texts        ',
    d.files,
    'files,',
    d.lines,
    'lines;',
    d.withTexts,
    'with texts',
  )
  say(
    'an operation reaches           ',
    o.median,
    'files (median),',
    o.p90,
    '(p90),',
    o.max,
    `(${o.largest}); of ${o.count} operations`,
  )
  const named = Object.entries(result.nouns)
  console.log('files per noun')
  for (const [noun, count] of named) console.log(`  ${String(count).padStart(4)}  ${noun}`)
  if (args.includes('--operations'))
    for (const one of operations) {
      say(`  ${String(one.files).padStart(4)}  ${one.operation}`)
      if (!args.includes('--files')) continue
      for (const path of one.reached) if (!isKernel(path)) say(`        ${path}`)
    }
}
