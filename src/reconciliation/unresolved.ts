import { wouldNeedApproval } from '../business/account/approval.ts'
import { actorOf, appendAudit } from '../business/audit-log/log.ts'
import type { Db } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import { JOB_ROWS_MAX, type Job } from '../jobs/jobs.ts'
import type { Caller, Tenant } from '../lib/caller.ts'
import { pageOf, windowOf } from '../lib/paging.ts'
import { notFound } from '../lib/problem.ts'
import {
  type Decision,
  decideOrder,
  findMailDue,
  noteMailed,
  selectDecisions,
} from '../provider-orders/decisions.ts'
import {
  lookUpOrder,
  type OrderKey,
  type OrderKindName,
  type OrderKinds,
} from '../provider-orders/orders.ts'
import { selectCalls, selectOne, selectUnresolved, type UnresolvedRow } from './queries-lists.ts'
import { callRecord, decisionRecord, unresolvedRecord } from './record.ts'
import { DecisionBody, OneOrder, OrderPath, Unresolved, UnresolvedList } from './schemas.ts'

type UnresolvedDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'people' | 'nudge'> & {
  orderKinds: OrderKinds
}

const about = { caller: 'member', params: OrderPath, response: OneOrder } as const

/** Orders whose outcome nobody knows, and what people decide about them. */
export const unresolvedRoutes = ({ orderKinds, ...deps }: UnresolvedDeps): Route[] => [
  route({
    operation: 'list_unresolved_orders',
    method: 'GET',
    path: '/unresolved',
    caller: 'member',
    scope: 'reconciliation:read',
    query: UnresolvedList,
    response: Unresolved,
    handle: async ({ caller, query, now }) => {
      const { kind, connectionId } = query
      const { offset, take } = windowOf(query)
      const filter = { kind: kind as string | undefined, connectionId, now, offset, take }
      const read = await selectUnresolved(deps.db, caller, filter)
      const { rows, meta } = pageOf(read, query, read[0]?.total ?? offset)
      return success('Orders retrieved.', rows.map(unresolvedRecord), meta)
    },
  }),
  route({
    ...about,
    operation: 'get_unresolved_order',
    method: 'GET',
    path: '/unresolved/:kind/:id',
    scope: 'reconciliation:read',
    handle: async ({ caller, params }) =>
      success('Order retrieved.', await recordFor(deps.db, caller, params)),
  }),
  route({
    ...about,
    operation: 'look_up_order',
    method: 'POST',
    path: '/unresolved/:kind/:id/look-up',
    scope: 'reconciliation:write',
    handle: async (input) => {
      const { caller, params, now: at } = input
      const order = await requireOrder(deps.db, caller, params)
      const kind = orderKinds[order.kind]
      if (kind) await lookUpOrder(deps, kind, order, caller.now)
      const { businessId, live } = caller
      await deps.db.transaction((tx) =>
        appendAudit(tx, actorOf(input), {
          businessId,
          live,
          at,
          action: 'order.look_up',
          object: order.reference,
          detail: 'Asked the provider for the outcome of an order',
        }),
      )
      return success('The provider was asked.', await recordFor(deps.db, caller, params))
    },
  }),
  route({
    ...about,
    operation: 'decide_order',
    method: 'POST',
    path: '/unresolved/:kind/:id/resolve',
    scope: 'reconciliation:write',
    proven: true,
    body: DecisionBody,
    handle: async (input) => {
      const { caller, params, body, now: at } = input
      const { businessId, live, now } = caller
      const order = await requireOrder(deps.db, caller, params)
      const actor = actorOf(input)
      const deciding = {
        ...(body as { decision: Decision; reason: string }),
        providerId: body.providerId,
        statement: body.statement,
        by: { id: actor.personId, name: actor.name },
        needsSecond: await needsSecond(deps, caller, order, body.decision as Decision),
        now,
      }
      const { decision } = deciding
      const isDone = await decideOrder(deps, orderKinds, caller, order, deciding, (tx, status) => {
        tx.after(() => deps.nudge(`${order.kind}-orders`))
        return appendAudit(tx, actor, {
          businessId,
          live,
          at,
          object: order.reference,
          action: status === 'Done' ? 'order.decide' : 'order.propose',
          detail: `${status === 'Done' ? 'Decided' : 'Proposed'}: ${WORDS[decision]}`,
        })
      })
      const says = isDone ? 'Decided.' : 'Someone else has to decide the same.'
      return success(says, await recordFor(deps.db, caller, params))
    },
  }),
]

const WORDS = {
  paid: 'the order was paid',
  not_paid: 'the order was not paid',
  send_again: 'the order was not paid, and is sent again',
}

interface Named {
  kind: string
  id: number
}

async function requireOrder(db: Db, tenant: Tenant, named: Named): Promise<UnresolvedRow> {
  const order = await selectOne(db, tenant, keyOf(named))
  if (!order) throw notFound('order')
  return order
}

/** The latest order of the record. */
const keyOf = ({ kind, id }: Named): Omit<OrderKey, 'attempt'> & { attempt: undefined } => ({
  kind: kind as OrderKindName,
  subject_id: id,
  attempt: undefined,
})

async function recordFor(db: Db, tenant: Tenant, named: Named) {
  const order = await requireOrder(db, tenant, named)
  const decisions = await selectDecisions(db, tenant, order)
  const calls = await selectCalls(db, tenant, order)
  return {
    ...unresolvedRecord(order),
    decided: decisions.map(decisionRecord),
    calls: calls.map(callRecord),
  }
}

/**
 * Above the approval limits, two people have to agree: about money out, as when it was ordered, and
 * about a payment that was received, because the word of one person would add it to the wallet.
 */
async function needsSecond(
  { db, people }: Pick<Deps, 'db' | 'people'>,
  caller: Caller,
  { kind, amount_minor, currency }: UnresolvedRow,
  decision: Decision,
): Promise<boolean> {
  if (kind === 'charge' && decision !== 'paid') return false
  if (amount_minor === null || currency === null) return false
  return wouldNeedApproval(db, people, caller, { amount_minor, currency })
}

/** Asks people by email to look at orders after 15 minutes, 2 hours and 24 hours. */
export function unresolvedJob({ people }: Pick<Deps, 'people'>): Job {
  return {
    name: 'unresolved-mails',
    everyMs: 60_000,
    async run(db, now, only) {
      const due = await findMailDue(db, now, only ?? null, JOB_ROWS_MAX)
      for (const { business_id: businessId, live } of due) {
        const tenant = { businessId, live }
        await db.transaction(async (tx) => {
          const orders = await noteMailed(tx, tenant, now)
          if (orders.length === 0) return
          const [first] = orders.map(({ since }) => since.toISOString()).sort()
          const notice = {
            what: 'orders_unresolved',
            orders: orders.length,
            since: first!,
            path: 'unresolved',
          } as const
          await people.emailApprovers(tx, tenant, notice, { but: null })
        })
      }
      return due.length
    },
  }
}
