import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { plainArray, textArray, timeArray } from './pg-arrays.ts'

const { db } = await testDatabase()

const ONE_DAY = new Date('2026-11-28T09:30:00.123Z')

test('values arrive as they were sent, in the same order', async () => {
  const texts = ['plain', '', null, '{"a":"b\\c",\n\t}', 'ẹ̀kọ́ 👩🏾‍🍳', 'NULL', "it's"]
  const numbers = [1, -2n, null, 9_007_199_254_740_991n, 0, 5, 6]
  const times = texts.map((_, i) => (i % 2 === 0 ? ONE_DAY : null))
  const rows = await db.many`
    select text, number::text, time
    from unnest(${textArray(texts)}::text[], ${plainArray(numbers)}::bigint[],
      ${timeArray(times)}::timestamptz[]) with ordinality as t (text, number, time, n)
    order by n`
  expect(rows).toEqual(
    texts.map((text, i) => ({ text, number: numbers[i]?.toString() ?? null, time: times[i] })),
  )
})

test('an empty list arrives as an empty array', async () => {
  expect(await db.one`select ${textArray([])}::text[] = '{}' as same`).toEqual({ same: true })
})
