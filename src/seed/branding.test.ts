import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { contents } from '../../test/pdf.ts'
import { allChecks } from '../audit.ts'
import { FIRST_NAME } from '../business/account/bootstrap.ts'
import { changeBranding } from '../business/account/branding.ts'
import { openFiles, storeOf } from '../files/files.ts'
import { openStorage } from '../files/storage.ts'
import { runAudit } from '../ledger/audit.ts'
import { seedShop } from './seed.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const server = await startServer({ sweepers: false })
const { db, ids, clock, directory } = server
const storage = await openStorage(storeOf(directory))
const files = openFiles({ db, clock, directory, storage, nudge: () => {} })

const seed = (businessId: number, number = 1) =>
  seedShop(db, ids, {
    tenant: { businessId, live: false },
    seed: number,
    rows: 30,
    now: clock.now(),
    publicUrl: 'http://127.0.0.1',
    files,
  })

const fetched = async (path: string) => {
  const answer = await fetch(server.url + path)
  return {
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

/** What the payer of one of its invoices sees. */
async function seenOf(key: string) {
  const { body } = await server.as(key).get(`${INVOICES}?status=Sent&limit=1`)
  const path = new URL(body.data[0].hostedUrl).pathname
  const html = (await fetched(path)).bytes.toString()
  const [logo] = /\/brand\/\w{22}\/[\w-]+\.png/.exec(html) ?? []
  return { html, logo, pdf: (await fetched(`${path}/pdf`)).bytes }
}

test('a first business is given a name, a logo and a colour, which payers see', async () => {
  const { businessId, keys } = await server.newBusiness(FIRST_NAME)
  expect(await seed(businessId)).toMatchObject({ isBranded: true })
  const { html, logo, pdf } = await seenOf(keys.testSecret)
  expect(html).toContain('Adire &amp; Oak')
  expect(html).toContain('/accent/9a4524.css')
  expect(html).toContain('hello@example.com')
  expect(contents(pdf)).toContain('/Subtype /Image')
  const picture = await fetched(logo!)
  expect(picture.type).toBe('image/png')
  expect(await runAudit(db, allChecks)).toEqual([])

  const other = await server.newBusiness('Oak & Daughters')
  expect(await seed(other.businessId)).toMatchObject({ isBranded: true })
  const named = await seenOf(other.keys.testSecret)
  expect(named.html).toContain('Oak &amp; Daughters')
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  expect(sha256((await fetched(named.logo!)).bytes)).toBe(sha256(picture.bytes))
})

test('another seed has another colour', async () => {
  const { businessId, keys } = await server.newBusiness(FIRST_NAME)
  await seed(businessId, 2)
  expect((await seenOf(keys.testSecret)).html).toContain('/accent/0b6b4b.css')
})

test('a business that shows itself already keeps its look', async () => {
  const { businessId, keys } = await server.newBusiness(FIRST_NAME)
  const at = { businessId, now: clock.now() }
  await changeBranding({ db, files }, at, { name: 'Chidi Foods' }, async () => {})
  expect(await seed(businessId)).toMatchObject({ isBranded: false })
  const { html, logo } = await seenOf(keys.testSecret)
  expect(html).toContain('Chidi Foods')
  expect(logo).toBeUndefined()
})

test('a business that was live keeps its look: its payers would see another', async () => {
  const { businessId, keys } = await server.newBusiness(FIRST_NAME)
  const asked = { customerEmail: 'ada@example.com', amount: 1_500 }
  expect((await server.as(keys.liveSecret).post(INVOICES, asked)).status).toBe(201)
  expect(await seed(businessId)).toMatchObject({ isBranded: false })
  expect((await seenOf(keys.testSecret)).logo).toBeUndefined()
})
