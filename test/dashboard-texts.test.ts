import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('../dashboard/src', import.meta.url))

/** What people read stands in dashboard/src/texts; these are where it would stand in a screen. */
const WRITTEN = [
  /\b(?:label|title|description|placeholder|aria-label)="[A-Z][a-z]/,
  /\b(?:title|text|label|about|done|says|verb|hint|description): ['`][A-Z][a-z]/,
  /^ +[A-Z][a-z’]+ [a-z’]+ [^=(){};]*$/,
]
/** What a landmark is called, not a text. */
const ALLOWED = ['aria-label="Main"']

test('what screens say is written in the catalogue of texts', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  const screens = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts'))
  expect(screens.length).toBeGreaterThan(150)
  const written = screens.flatMap((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .filter((line) => WRITTEN.some((pattern) => pattern.test(line)))
      .filter((line) => !ALLOWED.some((allowed) => line.includes(allowed)))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(written).toEqual([])
})
