// Loads our TypeScript. The compiled code is cached until the file changes.
//
// Node can strip types by itself, but its compiler takes 18 MB of memory and a fifth of the startup
// time, and does not support JSX. This hook strips types from `.ts` files with Node's function,
// which keeps lines and columns, and compiles `.tsx` files with oxc. Under vitest, the hook is
// never called, because Vite compiles both itself.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url).href
const PACKAGES = new URL('../node_modules/', import.meta.url).href
const CACHE = fileURLToPath(new URL('../node_modules/.cache/tradepost/', import.meta.url))

const require = createRequire(import.meta.url)
const COMPILERS = `${process.version} ${require('oxc-transform/package.json').version}`

registerHooks({
  load(url, context, nextLoad) {
    const isOurs = url.startsWith(ROOT) && !url.startsWith(PACKAGES) && /\.tsx?$/.test(url)
    if (!isOurs) return nextLoad(url, context)
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true }
  },
})

/** @param {string} path */
function compiled(path) {
  const source = readFileSync(path, 'utf8')
  const hash = createHash('sha256').update(`${COMPILERS}\n${path}\n${source}`).digest('hex')
  const kept = `${CACHE}${hash}.js`
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    const code = path.endsWith('.tsx') ? withoutJsx(path, source) : withoutTypes(source)
    keep(kept, code)
    return code
  }
}

/**
 * Hides Node's warning that this function may change. Readers of the terminal can do nothing about
 * it, and we test each version of Node before we pin it.
 * @param {string} source
 */
function withoutTypes(source) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Throws a SyntaxError with the compiler's message.
 * @param {string} path
 * @param {string} source
 */
function withoutJsx(path, source) {
  const { transformSync } = require('oxc-transform')
  const { code, errors } = transformSync(path, source, {
    jsx: { runtime: 'automatic', importSource: 'preact' },
    sourcemap: false,
  })
  if (errors.length > 0) throw new SyntaxError(errors[0].codeframe)
  return code
}

/**
 * Writes the file in one step, because several processes can start at once. Does nothing if the
 * cache is not writable.
 * @param {string} path
 * @param {string} code
 */
function keep(path, code) {
  try {
    mkdirSync(CACHE, { recursive: true })
    const own = `${path}.${process.pid}`
    writeFileSync(own, code)
    renameSync(own, path)
  } catch {
    // The file is compiled again the next time.
  }
}
