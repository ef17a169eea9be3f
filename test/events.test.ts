import { expect, test } from 'vitest'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { envelopeExample } from '../src/developers/events/openapi.ts'
import type { EventKind } from '../src/events/catalogue.ts'

const HEAD = `# Events

This page lists every type of event that \`GET /api/user-service/external/v1/events\` returns and
that webhooks receive. The server records each event in the same transaction as its cause. The
\`sequence\` of each object's events starts at 1 and has no gaps, except where a
backup was restored. New fields can be added at any time.

\`GET event-types\` returns the same information, with a JSON schema and an example of every type,
and \`/openapi.json\` lists the types under \`webhooks\`. \`npm test -- test/events -u\` generates
this page from \`src/**/record.ts\`.

`

interface Field {
  type?: string | string[]
  description?: string
  properties?: Record<string, Field>
  items?: Field
  format?: string
}

/** Groups the types that share a schema of `data`. */
const groups = [...Map.groupBy(EVENT_CATALOGUE.kinds, ({ schema }) => schema).values()]

test('docs/EVENTS.md lists every event type with its fields and an example', async () => {
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
    `Object: ${first.object}.\n\n`,
    `| Type | Raised when |\n|---|---|\n${types}\n`,
    fields.length > 0
      ? `| Field of \`data\` | Type | Description |\n|---|---|---|\n${fields.join('')}\n`
      : '',
    `\`\`\`json\n${example}\n\`\`\`\n`,
  ].join('')
}

/** Returns a line for each field; nested fields have names such as `customer.email`. */
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
