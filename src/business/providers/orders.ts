import { type Static, Type } from 'typebox'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { amountsOf } from '../../lib/money.ts'
import { Envelope, Nullable, NullableTimestamp } from '../../lib/schemas.ts'
import { feeOfOrder } from '../../provider-orders/fees.ts'
import { findOrders, type OrderKindName } from '../../provider-orders/orders.ts'
import { type StoredConnection, selectOwnConnection } from '../../providers/connections.ts'
import { httpConnectorOf } from '../../providers/registry.ts'

const text = Type.String()

const ProviderOrder = Type.Object({
  attempt: Type.Integer({
    description: 'Increases by 1 each time that the record is ordered again.',
  }),
  connectionId: Type.Integer(),
  provider: text,
  title: text,
  name: text,
  reference: Type.String({ description: 'The reference under which the provider has the order.' }),
  providerId: Nullable(text),
  sessionId: Nullable(Type.String({ description: 'The reference that banks use.' })),
  state: Nullable(text),
  message: Nullable(
    Type.String({
      description: 'What the provider said last, or what a person has to do there.',
    }),
  ),
  canWithdraw: Type.Boolean({
    description:
      'Whether the provider can cancel a payout that it has. Only then can another be sent.',
  }),
  needsDecision: Type.Boolean({ description: 'Whether it is one of the unresolved orders.' }),
  fee: Nullable(Type.Number({ description: 'What the provider keeps; null until it says.' })),
  feeMinor: Nullable(Type.Integer()),
  sentAt: NullableTimestamp,
  endedAt: NullableTimestamp,
})

/** Whose orders can be read, with the scope that reading the record itself needs. */
const RECORDS = [
  {
    kind: 'charge',
    operation: 'get_payment_orders',
    path: '/payments',
    scope: 'transactions:read',
  },
  {
    kind: 'transfer',
    operation: 'get_transfer_orders',
    path: '/transfers',
    scope: 'transfers:read',
  },
  {
    ...{ kind: 'settlement', operation: 'get_settlement_orders' },
    ...{ path: '/settlements', scope: 'settlements:read' },
  },
  { kind: 'refund', operation: 'get_refund_orders', path: '/refunds', scope: 'refunds:read' },
  { kind: 'bill', operation: 'get_bill_orders', path: '/bills', scope: 'utility:read' },
  {
    ...{ kind: 'deposit_return', operation: 'get_deposit_orders' },
    ...{ path: '/deposits', scope: 'transactions:read' },
  },
] as const satisfies readonly {
  kind: OrderKindName
  operation: string
  path: `/${string}`
  scope: string
}[]

const RecordPath = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

/** Which provider has a record, and under which references. */
export const orderRoutes = ({ db }: Pick<ConsoleDeps, 'db'>): Route[] =>
  RECORDS.map(({ kind, operation, path, scope }) =>
    route({
      ...{ method: 'GET', caller: 'member', operation, scope },
      path: `${path}/:id/orders`,
      params: RecordPath,
      response: Envelope(Type.Array(ProviderOrder)),
      handle: async ({ caller, params }) => {
        const orders = await findOrders(db, caller, kind, params.id)
        const records: Static<typeof ProviderOrder>[] = []
        for (const order of orders) {
          // The simulator belongs to no business.
          const connection = await selectOwnConnection(db, caller, order.connection_id)
          const named = connection ?? SIMULATOR
          const fee_minor = await feeOfOrder(db, caller, order)
          records.push(recordOf({ ...order, fee_minor }, named))
        }
        return success('Orders retrieved.', records)
      },
    }),
  )

const SIMULATOR = { provider: 'simulator', name: 'Simulator' } as const

type Order = Awaited<ReturnType<typeof findOrders>>[number]
type Named = Pick<StoredConnection, 'provider' | 'name'>

const recordOf = (order: Order, { provider, name }: Named): Static<typeof ProviderOrder> => ({
  attempt: order.attempt,
  connectionId: order.connection_id,
  provider,
  title: httpConnectorOf(provider)?.title ?? 'Simulator',
  name,
  reference: order.sent_reference,
  providerId: order.provider_id,
  sessionId: order.provider_session,
  state: order.state,
  message: order.last_message,
  canWithdraw:
    provider === 'simulator' || httpConnectorOf(provider)?.payouts?.cancelPayout !== undefined,
  needsDecision: order.attention !== null,
  ...(order.fee_minor === null || order.currency === null
    ? { fee: null, feeMinor: null }
    : amountsOf(order.currency, { fee: order.fee_minor })),
  sentAt: order.sent_at,
  endedAt: order.ended_at,
})
