import type { Database, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type {
  About,
  NotNowCode,
  Outcome,
  PayoutOrder,
  PayoutState,
  Provider,
  RoutingQuery,
  SentOrder,
} from '../providers/connector/types.ts'
import { payoutQuery } from '../providers/routing.ts'
import type { OrderKindName, OrderRow } from './queries.ts'
import type { ReportRow } from './queries-reports.ts'

/** The state of an order, with a human-readable reason and what the provider says about money. */
export interface OrderState {
  status: string
  message: string
  amount_minor?: Minor | null
  currency?: string | null
  fee_minor?: Minor | null
  /** What a person has to do. */
  action?: string
  /** Why a payout failed that can be ordered again. */
  notNow?: NotNowCode
  /** The provider's word for the state, if we do not know it. */
  unknownWord?: string
}

/** One kind of order. The folder that owns its records describes it. */
export interface OrderKind<
  State extends OrderState = OrderState,
  // biome-ignore lint/complexity/noBannedTypes: any record
  Row extends object = {},
> {
  kind: OrderKindName
  /** Finds an order's record. Returns `undefined` if the provider can no longer change it. */
  find(db: Database, tenant: Tenant, order: OrderRow): Promise<Row | undefined>
  send(provider: Provider, sending: Sending, row: Row): Promise<Outcome<State>>
  /** Sends several orders in one call. Absent for kinds that have no batches. */
  sendMany?(
    provider: Provider,
    sendings: readonly Sending[],
    rows: readonly Row[],
  ): Promise<Outcome<readonly Outcome<State>[]>>
  lookUp(provider: Provider, about: About, sent: SentOrder, row: Row): Promise<Outcome<State>>
  /** Returns the state of an order that the provider refused, and that therefore had no effect. */
  refused(message: string): State
  /** What another connection must be able to do, if the order can move to one. */
  routing?(row: Row): RoutingQuery
  /** Changes the record of an order that moved. Returns the changed record. */
  moved?(tx: Tx, tenant: Tenant, row: Row, to: MovedTo): Promise<Row>
  /**
   * Returns the number of the record's current order, if people can request a record again. The
   * record may have been read after its order was replaced.
   */
  attemptOf?(row: Row): number
  /** Makes further changes when orders that have not been sent before are claimed. */
  claimed?(tx: Tx, tenant: Tenant, ids: number[], now: Date): Promise<unknown>
  apply(reported: ProviderReport<State, Row>): Promise<unknown>
}

/** What a request needs that starts its own orders. */
export type StartedKind<State extends OrderState, Row extends object> = Pick<
  OrderKind<State, Row>,
  'kind' | 'send' | 'lookUp' | 'refused' | 'routing' | 'moved' | 'attemptOf' | 'apply'
>

/** What to send. The reference lets the provider recognise the same order each time. */
interface Sending {
  about: About
  reference: string
}

interface MovedTo {
  attempt: number
  /** The name of the provider. */
  provider: string
}

export interface ProviderReport<State, Row> {
  tenant: Tenant
  /**
   * The order that the report is about. It is an earlier attempt than the record's current one if
   * that earlier order was paid and the current one was never sent.
   */
  order: OrderRow
  row: Row
  state: State
  provider: Provider
  now: Date
  /** The report in its stored form, for kinds that store many reports in one statement. */
  report: ReportRow
  /**
   * Stores the report, if it does not change the record. `isOpen`: the order does not end with it,
   * whatever state the provider reports.
   */
  note(options?: { isOpen: boolean }): Promise<void>
  /** Runs `work` in the same transaction that stores the report. */
  commit(work: (tx: Tx) => Promise<unknown>, options?: { statementMs: number }): Promise<void>
  /**
   * Records, inside `commit`, that the provider reports a state which the record cannot reach from
   * its own state, `ours`, so that a person looks at it.
   */
  contradict(tx: Tx, ours: string): Promise<void>
}

export const tenantOf = ({ business_id: businessId, live }: OrderRow): Tenant => ({
  businessId,
  live,
})

export const aboutOf = (order: OrderRow, now: Date): About => ({
  tenant: tenantOf(order),
  order: { kind: order.kind, subjectId: order.subject_id, attempt: order.attempt },
  now,
})

export const sentOf = (order: OrderRow): SentOrder => ({
  reference: order.sent_reference,
  refs: {
    ...(order.provider_id !== null && { id: order.provider_id }),
    ...(order.provider_session !== null && { session: order.provider_session }),
  },
  sentAt: order.sent_at ?? order.created_at,
  state: order.state,
  amount_minor: order.amount_minor,
  currency: order.currency,
})

/** What the record of a payout contains. */
interface PayoutRow {
  reference: string
  amount_minor: Minor
  currency: string
  bank_code: string
  account_number: string
  account_name: string | null
}

type Same = 'send' | 'sendMany' | 'lookUp' | 'refused' | 'routing'

/** The parts of an order kind that are the same for all kinds whose orders are payouts. */
export function payoutKind<Row extends PayoutRow>(
  narrationOf: (row: Row) => string | null,
): Required<Pick<OrderKind<PayoutState, Row>, Same>> {
  const payoutOf = (reference: string, row: Row): PayoutOrder => ({
    reference,
    amount_minor: row.amount_minor,
    currency: row.currency,
    bankCode: row.bank_code,
    accountNumber: row.account_number,
    accountName: row.account_name,
    narration: narrationOf(row),
  })
  return {
    send: (provider, { about, reference }, row) => provider.payOut(about, payoutOf(reference, row)),
    sendMany(provider, sendings, rows) {
      const [{ tenant, now }] = sendings.map(({ about }) => about) as [About]
      const about = { tenant, now, orders: sendings.map((one) => one.about.order) }
      const payouts = rows.map((row, i) => payoutOf(sendings[i]!.reference, row))
      return provider.payOutMany!(about, payouts)
    },
    lookUp: (provider, about, sent) => provider.lookUpPayout(about, sent),
    refused: (message) => ({ status: 'Rejected', message }),
    routing: (row) => payoutQuery(row),
  }
}
