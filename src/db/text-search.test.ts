import { expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { TRANSACTIONS } from '../payments/attempts/record.ts'
import { INVOICES } from '../sales/invoices/record.ts'
import { PLAN_EACH_TIME } from './sql.ts'
import { candidates, searchFor } from './text-search.ts'

const { db, name } = await testDatabase()
const tenant = { businessId: 1, live: false }

/** Writes texts that no search finds, with as many n-grams as names and addresses have. */
const addTexts = (table: string, from: number, count: number) =>
  asOwner(name, (client) =>
    client.query(
      `insert into ${table} (business_id, live, id, created_at, text, pieces)
       select 1, false, n, '2026-01-01', repeat('x', 40),
         array(select hashint4(n * 100 + i) from generate_series(1, 60) i)
       from generate_series($1::int, $2::int) n`,
      [from, from + count - 1],
    ),
  )

test.each([
  ['invoice_texts', INVOICES],
  ['transaction_texts', TRANSACTIONS],
])('a search in %s uses its index however many new texts it has', async (table, searchable) => {
  await addTexts(table, 1, 8_000)
  await asOwner(name, (client) => client.query(`vacuum analyze ${table}`))
  for (let i = 0; i < 6; i++) {
    await addTexts(table, 8_001 + i * 400, 400)
    const plan = await db.many<Record<string, string>>`${PLAN_EACH_TIME}
      explain ${candidates(tenant, searchFor(searchable, 'kemi')!)} limit 100`
    expect(JSON.stringify(plan)).toContain(`Bitmap Index Scan on ${table}_pieces`)
  }
})
