import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { STATUS } from '../src/http/errors.ts'
import { ERROR_CODES, UNREADABLE_CODES } from '../src/lib/error-codes.ts'

const statuses = new Map<string, number>([
  ...Object.entries(UNREADABLE_CODES).map(([status, code]) => [code, Number(status)] as const),
  ...Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
    codes.map((code) => [code, STATUS[kind as keyof typeof STATUS]] as const),
  ),
])

/** All of our code that can respond, as text. */
const source = globSync('src/**/*.{ts,tsx}')
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/lib/error-codes'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

describe('error codes', () => {
  test('each have a row in docs/errors.md with status, meaning and what to do', () => {
    const [head, ...rows] = readFileSync('docs/errors.md', 'utf8').split('\n|---|---|---|---|\n')
    expect(head).toContain('| errorCode | status | what it means | what to do |')
    const cells = rows
      .join('')
      .trimEnd()
      .split('\n')
      .map((row) => row.split(' | '))
    const named = cells.map(([code, status]) => [code!.slice(3, -1), Number(status)] as const)
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(statuses))
    expect(named).toHaveLength(statuses.size)
    for (const [, , means, fix, ...more] of cells) {
      expect([means, fix, more]).toEqual([
        expect.stringMatching(/^[A-Z`].+\.$/),
        expect.stringMatching(/^[A-Z].+\. \|$/),
        [],
      ])
    }
  })

  test('are each of one kind', () => {
    const all = [...Object.values(ERROR_CODES).flat(), ...Object.values(UNREADABLE_CODES)]
    expect(all.filter((code, i) => all.indexOf(code) !== i)).toEqual([])
  })

  test.each([...statuses.keys()])('%s is thrown somewhere', (code) => {
    const noun = code.replace(/_(not_found|state)$/, '')
    const throwing = [`'${code}'`, `notFound('${noun}')`, `noun: '${noun}'`]
    expect(throwing.some((text) => source.includes(text))).toBe(true)
  })

  const thrown = [...source.matchAll(/new Problem\(\s*'(\w+)',\s*'(\w+)'/g)]
  test.each(thrown.map(([, kind, code]) => [code!, kind!]))('%s is %s', (code, kind) => {
    expect(ERROR_CODES).toHaveProperty([kind], expect.arrayContaining([code]))
  })

  test('are read from the source as it is written', () => {
    expect(thrown.length).toBeGreaterThan(15)
  })
})
