import type { EntryKind, ProviderEntry, Reports } from '../connector/types.ts'
import type { SimulatorOptions } from './orders.ts'
import { type OrderStatus, type SimulatedOrder, selectOrders } from './queries.ts'

/** Nobody remembers which payments into accounts were sent back, so they have no entries. */
const KINDS: Readonly<Partial<Record<EntryKind, readonly SimulatedOrder['kind'][]>>> = {
  charge: ['USSD', 'CARD'],
  payout: ['PAYOUT'],
  refund: ['REFUND'],
  bill: ['VEND'],
}

const STATUSES: Readonly<Record<OrderStatus, ProviderEntry['status']>> = {
  Pending: 'Pending',
  Blocked: 'Pending',
  NeedsAttention: 'Pending',
  Successful: 'Successful',
  Failed: 'Failed',
  Rejected: 'Failed',
  Returned: 'Reversed',
}

const PAGE_MAX = 100

/** Reports the simulator's own orders. It takes no fees. */
export const simulatedReports = ({ db }: Pick<SimulatorOptions, 'db'>): Reports => ({
  kinds: Object.keys(KINDS) as EntryKind[],
  async entries({ tenant }, kind, { from, until }, cursor) {
    const wanted = KINDS[kind]
    if (!wanted) return { kind: 'refused', code: 'unsupported', message: 'There is no such list.' }
    const [at, after = ''] = cursor?.split(' ') ?? []
    const range = { from: at === undefined ? from : new Date(at), until }
    const rows = await selectOrders(db, tenant, wanted, range, after, PAGE_MAX)
    const last = rows.at(-1)
    const next =
      last && rows.length === PAGE_MAX ? `${last.created_at.toISOString()} ${last.reference}` : null
    const entries = rows.map(
      ({ reference, status, amount_minor, currency, created_at }): ProviderEntry => ({
        ...{ kind, providerId: reference, reference, status: STATUSES[status] },
        ...{ amount_minor, fee_minor: 0n, currency, at: created_at, settlementId: null },
      }),
    )
    return { kind: 'done', value: { entries, next } }
  },
})
