import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { closed } from '../developers/events/events.fixture.ts'
import { EVENT_CATALOGUE } from './event-catalogue.ts'

/** The types in the table of docs/CONTRACT.md: a short one has the prefix of the previous one. */
function contractTypes(): string[] {
  const contract = readFileSync('docs/CONTRACT.md', 'utf8')
  const [, catalogue = ''] = contract.split('| Event | Raised when |')
  const [rows = ''] = catalogue.split('\n\n')
  return rows.split('\n').flatMap((row) => {
    const [, cell = ''] = row.split('|')
    let object = ''
    return [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, name = '']) => {
      if (!name.startsWith('.')) object = name.slice(0, name.lastIndexOf('.'))
      return name.startsWith('.') ? object + name : name
    })
  })
}

test('types are those of the contract, without duplicates', () => {
  expect([...EVENT_CATALOGUE.types].sort()).toEqual(contractTypes().sort())
  expect(EVENT_CATALOGUE.isType('invoice.paid')).toBe(true)
  expect(EVENT_CATALOGUE.isType('invoice.eaten')).toBe(false)
})

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv as never)

test.each(EVENT_CATALOGUE.kinds.map((kind) => [kind.type, kind] as const))(
  'example of %s matches its schema exactly',
  (type, { schema, summary }) => {
    const check = ajv.compile(closed(schema))
    check(EVENT_CATALOGUE.exampleOf(type))
    expect(check.errors).toBeNull()
    expect(summary).toMatch(/^[A-Z].*\.$/)
  },
)

test('examples are copies, and unknown types have none', () => {
  expect(EVENT_CATALOGUE.exampleOf('invoice.paid')).not.toBe(
    EVENT_CATALOGUE.exampleOf('invoice.paid'),
  )
  expect(() => EVENT_CATALOGUE.exampleOf('invoice.eaten')).toThrow('invoice.eaten')
})
