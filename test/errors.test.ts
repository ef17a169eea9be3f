import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { STATUS } from '../src/http/errors.ts'
import { ERROR_CODES } from '../src/lib/error-codes.ts'

const HEAD = `# Error codes

Every failure answers in the envelope of its route, with \`X-Request-Id\`; envelopes B and C carry
one of these as \`errorCode\`, envelope D in capitals as \`error\`. A code never changes its meaning.
Printed from \`src/lib/error-codes/\` by \`npm test -- test/errors -u\`.

| errorCode | status | what it means | what to do |
|---|---|---|---|
`

const entries = Object.entries(ERROR_CODES)
const statusOf = (kind: (typeof entries)[number][1]['kind']) =>
  typeof kind === 'number' ? kind : STATUS[kind]

/** All of our own code that can answer, as text. */
const source = globSync('src/**/*.{ts,tsx}')
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/lib/error-codes'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

describe('error codes', () => {
  test('stand in docs/errors.md, each in a line', async () => {
    const lines = entries.map(
      ([code, { kind, means, mend }]) =>
        `| \`${code}\` | ${statusOf(kind)} | ${means} | ${mend} |\n`,
    )
    await expect(HEAD + lines.join('')).toMatchFileSnapshot('../docs/errors.md')
  })

  test.each(entries)('%s is thrown somewhere', (code) => {
    const noun = code.replace(/_(not_found|state)$/, '')
    const throwing = [`'${code}'`, `notFound('${noun}')`, `noun: '${noun}'`]
    expect(throwing.some((text) => source.includes(text))).toBe(true)
  })

  const thrown = [...source.matchAll(/new Problem\(\s*'(\w+)',\s*'(\w+)'/g)]
  test.each(thrown.map(([, kind, code]) => [code!, kind!]))('%s is %s', (code, kind) => {
    expect(ERROR_CODES).toHaveProperty([code, 'kind'], kind)
  })

  test('are read from the source as it is written', () => {
    expect(thrown.length).toBeGreaterThan(15)
  })
})
