import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'oxc-transform'

// Node strips types but knows no JSX, and refuses `.tsx` outright. Vite compiles it by itself, so
// under vitest nothing ever reaches this hook.
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context)
    return { format: 'module', source: compile(fileURLToPath(url)), shortCircuit: true }
  },
})

/** JavaScript of one `.tsx` file. Throws with the compiler's own words on a syntax error. */
function compile(path: string): string {
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'), {
    jsx: { runtime: 'automatic', importSource: 'preact' },
    sourcemap: false,
  })
  if (errors.length > 0) throw new SyntaxError(errors.map(({ codeframe }) => codeframe).join('\n'))
  return code
}
