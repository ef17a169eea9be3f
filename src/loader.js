// Loads our TypeScript: what was compiled once is kept and only read after that.
//
// Node strips types by itself, but the compiler it has for that takes 18 MB of memory and a fifth
// of the start, and it knows no JSX. Here `.ts` loses its types by Node's own means (lines and
// columns stay) and `.tsx` is compiled by oxc, each once for every change of a file. Vite compiles
// both by itself, so under vitest nothing ever reaches this hook.
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
 * Node warns that this function may change, which is nothing that a reader of the terminal can act
 * on: a Node that changes it is a Node that we try before we pin it.
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
 * Throws with the compiler's own words on a syntax error.
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
 * Whole or not at all, since several processes may start at once; where we may not write, not.
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
    // It is compiled again the next time.
  }
}
