import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop } from './transfers.fixture.ts'

const server = await startServer({ jobs: false })
const LIST = '/api/transaction-service/external/v1/transfer/get-transfer-list'

async function shop() {
  const opened = await openShop(server)
  const { businessId, keys } = opened
  const { get } = server.as(keys.testSecret)
  const found = async (search: string, more = '') => {
    const query = `businessId=${businessId}&page=1&limit=20${more}`
    const { status, body } = await get(`${LIST}?${query}&search=${encodeURIComponent(search)}`)
    expect(status, search).toBe(200)
    return (body.data as { reference: string }[]).map(({ reference }) => reference)
  }
  return { ...opened, found }
}

describe('searching transfers', () => {
  test('200 finds part of the recipient, bank, narration or reference, and the account or its end', async () => {
    const { send, found, transfer } = await shop()
    const wages = await send({ narration: 'Wages of May', transferReference: 'PAY-2026-0517' })
    const rent = await send({ accountNumber: '0000000001', narration: 'Rent' })
    const { accountName, bankName } = await transfer(wages)
    const parts = [
      accountName.slice(2, 9).toLowerCase(),
      '6785',
      '0123456785',
      'of may',
      'pay-2026',
      wages,
    ]
    for (const text of [...parts, wages.slice(0, 12), ' 0517 ']) {
      expect(await found(text), text).toContain(wages)
    }
    for (const text of parts.slice(1)) expect(await found(text), text).not.toContain(rent)
    expect(await found(bankName)).toEqual([rent, wages])
    expect(await found('3456785')).toEqual([])
    expect(await found('nobody')).toEqual([])
    expect(await found('')).toEqual([rent, wages])
  })

  test('200 finds a reference of ten digits', async () => {
    const { send, found } = await shop()
    const reference = await send({ transferReference: '2026051701' })
    await send()
    expect(await found('2026051701')).toEqual([reference])
  })

  test('200 searches within a status, and only in this business and mode', async () => {
    const { send, decide, found } = await shop()
    const rejected = await send({ accountName: 'Somebody Else', narration: 'Wages' })
    expect((await decide(rejected, 'reject')).status).toBe(200)
    const pending = await send({ narration: 'Wages' })
    expect(await found('wages', '&status=Rejected')).toEqual([rejected])
    expect(await found('wages', '&status=Pending')).toEqual([pending])
    expect(await (await shop()).found('wages')).toEqual([])
  })

  test('200 finds transfers from before the search existed, once the job has indexed them', async () => {
    const { send, found, businessId } = await shop()
    const old = await send({ narration: 'Long ago' })
    await server.db.run`delete from search_texts where business_id = ${businessId}`
    await server.db.run`
      insert into transfer_texts_due
      select business_id, live, id from transfers where business_id = ${businessId}`
    expect(await found('long ago')).toEqual([])
    await server.runJob('search-texts')
    expect(await found('long ago')).toEqual([old])
    const { left } = await server.db.one<{ left: number }>`
      select count(*) as left from transfer_texts_due`
    expect(left).toBe(0)
  })
})
