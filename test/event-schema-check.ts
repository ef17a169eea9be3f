import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import type { Db } from '../src/db/database.ts'
import { closed } from '../src/developers/events/events.fixture.ts'
import { timeIn } from '../src/events/append.ts'

/** The rows checked per type; enough for every shape that a test creates. */
const ROWS_MAX = 300

interface Told {
  type: string
  object_type: string
  reference: string
  created_at: Date
  data: string
}

/**
 * Throws unless every event in a database has a type and object of the catalogue, and data that
 * matches its schema: no missing, additional or wrongly typed field.
 */
export async function checkToldEvents(db: Db): Promise<void> {
  const rows = await db.many<Told>`
    select type, object_type, reference, created_at, data from (
      select *, row_number() over (partition by type order by id) as nth from events) numbered
    where nth <= ${ROWS_MAX}`
  const wrong = rows.flatMap((row) => faultsOf(row).map((fault) => `${row.type} ${fault}`))
  if (wrong.length === 0) return
  throw new Error(`Events do not match the catalogue:\n${[...new Set(wrong)].join('\n')}`)
}

const kinds = new Map(EVENT_CATALOGUE.kinds.map((kind) => [kind.type, kind]))
/** Objects of test events, whose data is free. */
const TRIALS = ['simulated_event', 'webhook_test']

function faultsOf({ type, object_type, reference, created_at, data }: Told): string[] {
  const kind = kinds.get(type)
  if (!kind) return ['is not in the catalogue']
  const faults: string[] = []
  if (timeIn(reference)?.getTime() !== created_at.getTime()) faults.push(`has the id ${reference}`)
  if (TRIALS.includes(object_type)) return faults
  if (!kind.object.split(' or ').includes(object_type)) faults.push(`is about a ${object_type}`)
  const check = validatorOf(type, kind.schema)
  if (check(JSON.parse(data))) return faults
  const found = (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `data${instancePath} ${message} ${JSON.stringify(params)}`,
  )
  return [...faults, ...found]
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv as never)
const validators = new Map<string, ValidateFunction>()

/** Compiles the schema when the first event of its type is checked. */
function validatorOf(type: string, schema: (typeof EVENT_CATALOGUE.kinds)[number]['schema']) {
  const known = validators.get(type) ?? ajv.compile(closed(schema))
  validators.set(type, known)
  return known
}
