import { expect, test } from 'vitest'
import type { BillItem } from './connector/types.ts'
import { itemKey, matchItems } from './item-lists.ts'

let last = 0
function item(
  category: BillItem['category'],
  billerName: string,
  name: string,
  amount_minor: bigint | null = null,
): BillItem {
  const itemCode = `I${++last}`
  return { billerCode: 'B', itemCode, billerName, name, category, amount_minor, fee_minor: null }
}

/** Matches items alone or together. Returns our slugs, in order. */
function slugsOf(...listed: BillItem[]) {
  const found = matchItems(listed)
  return listed.map((one) => found.get(itemKey(one)))
}

test.each([
  [item('airtime', 'MTN', 'MTN'), 'mtn-airtime-top-up'],
  [item('airtime', 'ETISALAT VTU', '9MOBILE'), '9mobile-airtime-top-up'],
  [item('electricity', 'IKEJA DISCO ELECTRICITY', 'IKEDC PREPAID TOPUP'), 'ikedc-prepaid'],
  [item('electricity', 'EKO DISCO', 'Eko Postpaid bill'), 'ekedc-postpaid'],
  [item('television', 'DSTV', 'DSTV COMPACT PLUS', 3_400_000n), 'dstv-compact-plus'],
  [item('television', 'DSTV', 'DStv Compact Bouquet', 1n), 'dstv-compact'],
  [item('television', 'StarTimes', 'Startimes Nova, 7 days', 1n), 'startimes-nova-weekly'],
  [item('data', 'MTN DATA', 'MTN 1GB DAILY', 60_000n), 'mtn-data-1gb-daily'],
  [item('data', 'MTN DATA', 'MTN DATA BUNDLE 1.5 GB - 7 DAYS', 1n), 'mtn-data-1-5gb-weekly'],
  [item('data', 'GLO', 'Glo 2.6GB monthly', 1n), 'glo-data-2-6gb-monthly'],
])('is %o: %s', (one, slug) => {
  expect(slugsOf(one)).toEqual([slug])
})

test.each([
  ['a bundle that does not say how long it lasts', item('data', 'MTN DATA', 'MTN 1.5 GB', 1n)],
  ['a bundle that lasts longer', item('data', 'MTN DATA', 'MTN 1.5 GB 30 days', 1n)],
  ['a bundle of another network', item('data', 'SMILE', '1GB daily', 1n)],
  ['the networks of two billers', item('airtime', 'MTN', 'GLO')],
  ['another category', item('data', 'MTN', 'MTN')],
  ['a price where ours has none', item('airtime', 'MTN', 'MTN 100', 10_000n)],
  ['no price where ours has one', item('television', 'DSTV', 'DSTV COMPACT')],
  ['both kinds of meter', item('electricity', 'IKEDC', 'IKEDC prepaid and postpaid')],
  ['neither kind of meter', item('electricity', 'IKEDC', 'IKEDC')],
  ['a package that we do not know', item('television', 'DSTV', 'DSTV Access', 200_000n)],
])('is none of ours: %s', (_, one) => {
  expect(slugsOf(one)).toEqual([undefined])
})

test('is none of ours if two items could be the same package', () => {
  const [one, other] = [item('airtime', 'MTN', 'MTN'), item('airtime', 'MTN', 'MTN VTU')]
  const meter = item('electricity', 'IKEDC', 'IKEDC prepaid')
  expect(slugsOf(one, other, meter)).toEqual([undefined, undefined, 'ikedc-prepaid'])
})
