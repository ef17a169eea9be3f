import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

/** The build from set-up (scripts/dashboard.mjs). */
const BUILT = fileURLToPath(new URL('../dashboard/dist', import.meta.url))
const LIMIT_BYTES = 245_000

test('the first load of the dashboard is at most 245 kB of JavaScript, gzipped', async () => {
  const html = await readFile(join(BUILT, 'index.html'), 'utf8')
  const [entry, ...others] = html.matchAll(/<script[^>]* src="([^"]+)"/g)
  expect(others).toEqual([])
  const sizes = await sizesOf(entry![1]!)
  // If only the entry counted, imports would no longer be recognised.
  expect(sizes.size).toBeGreaterThan(1)
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  expect(total, [...sizes].map(([file, size]) => `${file} ${size}`).join('\n')).toBeLessThan(
    LIMIT_BYTES,
  )
})

/** Returns the bytes of a file and its static imports by path, as the server sends them. */
async function sizesOf(path: string, found = new Map<string, number>()) {
  if (found.has(path)) return found
  const code = await readFile(join(BUILT, path))
  found.set(path, gzipSync(code, { level: 9 }).length)
  for (const [, file] of code.toString().matchAll(/\b(?:import|from)\s*["'](\.[^"']+\.js)["']/g)) {
    await sizesOf(join(path, '..', file!), found)
  }
  return found
}
