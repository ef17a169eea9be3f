import type pg from 'pg'
import { type Searchable, textOf } from '../src/db/text-search.ts'

/** What a benchmark puts into a shop. */
export interface Filling {
  businessId: number
  rows: number
  /** The first free id. */
  firstId: number
}

export const FIRST =
  `Ada Bola Chidi Amaka Emeka Funmi Gbenga Hauwa Ibrahim Jumoke Kelechi Lola Musa Ngozi
  Obinna Peter Queen Rasheed Sade Tunde Uche Victor Wale Yusuf Zainab Blessing Chinedu Damilola
  Esther Fatima`.split(/\s+/)
export const LAST =
  `Okeke Balogun Adeyemi Eze Okafor Bello Danjuma Nwosu Ojo Lawal Abiodun Usman Ikenna
  Salami Obi Ogunleye Afolabi Mohammed Effiong Igwe Olawale Umar Chukwu Adebayo Nnamdi Sule
  Akpan Oladipo Garba Onyeka`.split(/\s+/)
export const DOMAINS = [
  'gmail.com',
  'gmail.com',
  'gmail.com',
  'yahoo.com',
  'outlook.com',
  'example.ng',
]

const array = (values: string[]) => `'{${values.join(',')}}'::text[]`
export const pick = (values: string[], n: string) =>
  `(${array(values)})[1 + ((${n})::bigint % ${values.length})]`

/** Works like the job, but in larger batches. */
export async function fillTexts(
  client: pg.Client,
  businessId: number,
  searchable: Searchable,
): Promise<void> {
  const { kind, table, fields, marks = [], isQueued } = searchable
  const tenant = { businessId, live: false }
  const columns = [...fields.map((field) => `lower(${field}) as ${field}`), ...marks]
  const select = `
    select id::float8 as id, created_at, ${columns} from ${table} where business_id = ${businessId}`
  const [texts, extra, value] = isQueued
    ? [`${kind}_texts`, 'created_at', 'created_at']
    : ['search_texts', 'kind', `'${kind}'`]
  await inBatches(client, select, (rows) => {
    const indexed = rows.map((row) => textOf(tenant, searchable, row))
    return client.query(
      `insert into ${texts} (business_id, live, id, ${extra}, text, pieces)
       select ${businessId}, false, id, ${value}, text, pieces::integer[]
       from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[])
         as t (id, created_at, text, pieces)`,
      [
        rows.map(({ id }) => id),
        rows.map(({ created_at }) => created_at),
        indexed.map(({ text }) => text),
        indexed.map(({ ngrams }) => `{${ngrams}}`),
      ],
    )
  })
}

const BATCH_ROWS = 20_000

/** Yields the rows of a statement in batches, because a million rows are too many at once. */
async function inBatches(
  client: pg.Client,
  select: string,
  // biome-ignore lint/suspicious/noExplicitAny: as pg returns them
  write: (rows: any[]) => Promise<unknown>,
): Promise<void> {
  await client.query(`declare found no scroll cursor with hold for ${select}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${BATCH_ROWS} from found`)
    if (rows.length === 0) break
    await write(rows)
  }
  await client.query('close found')
}
