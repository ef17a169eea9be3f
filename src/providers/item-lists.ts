import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Job } from '../jobs/jobs.ts'
import { cachedBriefly } from './brief-cache.ts'
import type { BillItem, Connection, Connector, Outcome, Providers } from './connector/types.ts'
import { type DailyList, dailyListJob, type ListKey, nameOf } from './daily-lists.ts'
import { itemKey, matchItems } from './item-map.ts'
import {
  type ProviderItemRow,
  replaceProviderItems,
  selectConnectionsWithOldItems,
  selectProviderItems,
} from './queries-items.ts'

export const ITEM_LIST_JOB = 'item-lists'

const ITEM_LIST: DailyList<BillItem, ProviderItemRow> = {
  job: ITEM_LIST_JOB,
  of: 'bill items',
  selectDue: selectConnectionsWithOldItems,
  read: (provider) => provider.listItems?.(),
  selectRows: selectProviderItems,
  rowsOf,
  replaceRows: replaceProviderItems,
  unmatchedIn: (rows) =>
    rows
      .filter((row) => row.package_slug === null)
      .map((row) => `${row.biller_code} ${row.item_code} ${row.name}`),
}

/** Returns the job that reads what each provider sells for billers once a day. */
export const itemListJob = (deps: { providers: Providers; log: Log }): Job =>
  dailyListJob(deps, ITEM_LIST)

function rowsOf(listed: readonly BillItem[]): ProviderItemRow[] {
  const distinct = [...new Map(listed.map((item) => [itemKey(item), item])).values()]
  const ours = matchItems(distinct)
  return distinct.map((item) => ({
    biller_code: item.billerCode,
    item_code: item.itemCode,
    biller_name: item.billerName,
    name: item.name,
    category: item.category,
    amount_minor: item.amount_minor,
    fee_minor: item.fee_minor,
    package_slug: ours.get(itemKey(item)) ?? null,
    is_active: true,
  }))
}

/** What a provider sells at the moment, by the slugs of our packages. */
export type ItemMap = (key: ListKey, tx?: Db) => Promise<ReadonlyMap<string, ProviderItemRow>>

export function openItemMap(db: Database): ItemMap {
  const lists = cachedBriefly(async (key: ListKey, tx: Db | undefined) => {
    const rows = await selectProviderItems(tx ?? db, key)
    const usable = rows.filter((row) => row.is_active && row.package_slug !== null)
    return new Map(usable.map((row) => [row.package_slug!, row]))
  })
  return ({ provider, environment, baseUrl }, tx) =>
    lists.get(nameOf({ provider, environment, baseUrl }), { provider, environment, baseUrl }, tx)
}

/**
 * Returns a connector that takes the slugs of our packages, from one that takes its provider's
 * items. It does not call the provider for a package that the provider does not sell, or that has
 * another price by now.
 */
export function withOurPackages(
  connector: Connector,
  connection: Connection,
  itemsOf: ItemMap,
): Connector {
  if (!connector.listItems) return connector

  async function itemOf(slug: string): Promise<ProviderItemRow | Outcome<never>> {
    const items = await itemsOf(connection)
    return items.get(slug) ?? (items.size > 0 ? NOT_SOLD : NOT_READ)
  }

  return {
    ...connector,
    async enquireCustomer(slug, customerId) {
      const item = await itemOf(slug)
      return 'kind' in item ? item : connector.enquireCustomer(codesOf(item), customerId)
    },
    async vend(about, order) {
      const item = await itemOf(order.packageSlug)
      if ('kind' in item) return item
      const { amount_minor } = item
      if (amount_minor !== null && amount_minor !== order.amount_minor) return NEW_PRICE
      return connector.vend(about, { ...order, packageSlug: codesOf(item) })
    },
  }
}

/** How a connector names an item in place of the slug of our package. */
const codesOf = ({ biller_code, item_code }: ProviderItemRow): string =>
  `${biller_code} ${item_code}`

const NOT_SOLD = {
  kind: 'refused',
  code: 'unknown_package',
  message: 'The provider does not sell this package.',
} as const

const NOT_READ = {
  kind: 'notNow',
  code: 'feature_off',
  isUnsent: true,
  message: 'The list of what the provider sells is not read yet.',
} as const

const NEW_PRICE = {
  kind: 'refused',
  code: 'amount_out_of_range',
  message: 'The price of this package has changed.',
} as const
