import { expect, test } from 'vitest'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { envelopeExample } from '../src/developers/events/openapi.ts'
import type { EventKind } from '../src/events/kind.ts'

const HEAD = `# Events

What the server tells of, by type: what \`GET /api/user-service/external/v1/events\` lists and
webhooks get. An event is written in the transaction of its cause, and numbered by \`sequence\` for
each object, from 1 without gaps. Printed from \`src/**/record.ts\` by
\`npm test -- test/events -u\`; \`GET event-types\` answers the same, with a JSON schema and an
example of every type, and \`/openapi.json\` has them as \`webhooks\`. Fields may be added at any
time.

`

interface Field {
  type?: string | string[]
  description?: string
  properties?: Record<string, Field>
  items?: Field
  format?: string
}

/** Kinds whose \`data\` has one schema are told together. */
const groups = [...Map.groupBy(EVENT_CATALOGUE.kinds, ({ schema }) => schema).values()]

test('types of events stand in docs/EVENTS.md, with their fields and an example', async () => {
  const sections = groups.map((kinds) => sectionOf(kinds as [EventKind]))
  await expect(HEAD + sections.join('\n')).toMatchFileSnapshot('../docs/EVENTS.md')
})

function sectionOf(kinds: readonly [EventKind, ...EventKind[]]): string {
  const [first] = kinds
  const types = kinds.map(({ type, summary }) => `| \`${type}\` | ${summary} |\n`).join('')
  const fields = linesOf(first.schema as Field).map((line) => `${line}\n`)
  const names = kinds.map(({ type }) => type.slice(type.lastIndexOf('.') + 1))
  const object = first.type.slice(0, first.type.lastIndexOf('.'))
  const example = JSON.stringify(envelopeExample(first), null, 2)
  return [
    `## ${object}: ${names.join(', ')}\n\n`,
    `About: ${first.object}.\n\n`,
    `| Type | Raised when |\n|---|---|\n${types}\n`,
    fields.length > 0 ? `| Field of \`data\` | Type | |\n|---|---|---|\n${fields.join('')}\n` : '',
    `\`\`\`json\n${example}\n\`\`\`\n`,
  ].join('')
}

/** A line for each field, those within others under names such as `customer.email`. */
function linesOf({ properties = {} }: Field, above = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = above + name
    const line = `| \`${path}\` | ${typeOf(field)} | ${field.description ?? ''} |`
    const below = field.items ? linesOf(field.items, `${path}[].`) : linesOf(field, `${path}.`)
    return [line, ...below]
  })
}

function typeOf({ type = [], format, items }: Field): string {
  const names = [type].flat().map((one) => (one === 'array' ? `array of ${items?.type}` : one))
  const words = names.join(' or ')
  return format ? `${words}, ${format}` : words
}
