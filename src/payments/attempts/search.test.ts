import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { CHANNELS, numbered, openList } from './list.fixture.ts'

const server = await startServer({ jobs: false })
const START = server.clock.now()
const { db } = server
const indexed = () => server.runJob('search-texts')
const shop = () => openList(server, START)

describe('search', () => {
  test('200 finds by id, reference and part of the name or email address', async () => {
    const { fill, page } = await shop()
    await fill(1, { from: 1, name: 'Ngọzi Ẹniọlá', email: 'N.Eniola+shop@Mail.example' })
    await fill(1, { from: 2, name: null, email: 'zz9@other.example' })
    await fill(1, { from: 3, name: '50% off_\\ "quoted" 🎉', email: null })
    await fill(1, { from: 4, name: null, email: null })
    const cases: [string, number[]][] = [
      ['999998000', [2]],
      ['  999998000 ', [2]],
      ['99999', []],
      ['99999999999999999999999999', []],
      ['TRX_4', [4]],
      ['TRX_', []],
      ['ngọzi', [1]],
      ['NGỌZI ẸNI', [1]],
      ['+SHOP@mail', [1]],
      ['n.eniola+shop@mail.example', [1]],
      ['zz9', [2]],
      ['9@', [2]],
      ['0% off_\\', [3]],
      ['%', [3]],
      ['_', [3]],
      ['🎉', [3]],
      ['example', [1, 2]],
      ['ngozi', []],
      ['', [1, 2, 3, 4]],
      [' ', [1, 2, 3, 4]],
    ]
    for (const when of ['before it is in the index', 'afterwards']) {
      for (const [search, found] of cases) {
        const { rows } = await page({ search })
        expect([when, search, rows]).toEqual([when, search, found.map((n) => `TRX_${n}`)])
      }
      await indexed()
    }
  })

  test('200 finds one by its reference, if it meets the other filters', async () => {
    const { fill, page } = await shop()
    await fill(9, { status: 'Successful', channel: 'USSD' })
    const found = async (query: object) => (await page({ reference: 'TRX_5', ...query })).rows
    expect(await found({})).toEqual(['TRX_5'])
    expect(await found({ status: 'successful', channel: 'ussd', search: 'ada' })).toEqual(['TRX_5'])
    expect(await found({ search: 'TRX_5' })).toEqual(['TRX_5'])
    const none = [
      { status: 'Failed' },
      { channel: 'CARD' },
      { search: 'bola' },
      { search: 'TRX_6' },
    ]
    for (const query of none) expect([query, await found(query)]).toEqual([query, []])
    expect((await page({ reference: 'trx_5' })).rows).toEqual([])
  })

  test('200 pages over more matches than are collected', async () => {
    const { fill, page, walk } = await shop()
    await fill(6_000, { name: 'Many Things' })
    await fill(20, { from: 6_001, name: 'Few Things', status: 'Refunded' })
    await indexed()
    const first = await page({ search: 'thing', limit: '100' })
    expect(first.rows).toEqual(numbered(1, 100))
    const next = await page({ search: 'thing', limit: '100', cursor: first.meta.next })
    expect(next.rows).toEqual(numbered(101, 200))
    const back = await page({ search: 'thing', limit: '100', cursor: next.meta.previous })
    expect(back.rows).toEqual(first.rows)
    const few = await walk({ search: 'w thing', status: 'Refunded', limit: '8' })
    expect(few.forth).toEqual(numbered(6_001, 6_020))
    const { forth } = await walk({ search: 'things', channel: 'CARD', limit: '100' })
    expect(forth).toEqual(
      numbered(1, 6_020).filter((one) => CHANNELS[+one.slice(4) % 5] === 'CARD'),
    )
  }, 20_000)

  test('200 indexes each once, even if two servers fill the index at once', async () => {
    const { fill, businessId } = await shop()
    await fill(3_000)
    await Promise.all([indexed(), indexed(), indexed()])
    expect(
      await db.one`select (select count(*) from transaction_texts_due) as due,
        (select count(*) from transaction_texts where business_id = ${businessId}) as texts`,
    ).toEqual({ due: 0, texts: 3_000 })
  })
})
