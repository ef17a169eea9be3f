import type { Tenant } from '../../lib/tenant.ts'
import type { Outcome, PayoutOrder, PayoutState, Provider } from '../../providers/provider.ts'

/**
 * Orders a payout, or asks what became of one that may have been ordered before. Only when the
 * provider definitely does not know it is it ordered a second time, under the same reference.
 * `refused` is the provider's answer to an order, never to a question.
 *
 * `former` is the reference of an earlier order that was held up, and may yet be paid. It is
 * withdrawn before a new one is ordered: what was paid after all decides, and until the provider
 * says that it never will be, nothing is ordered. `answersOf` is whose answer the outcome is.
 */
export async function orderOrAsk(
  provider: Provider,
  order: PayoutOrder,
  { wasSent, former }: { wasSent: boolean; former?: string | undefined },
): Promise<{ outcome: Outcome<PayoutState>; answersOf: 'order' | 'former' }> {
  if (wasSent) {
    const asked = await askPayout(provider, order.tenant, order.reference)
    if (asked !== 'never ordered') return { outcome: asked, answersOf: 'order' }
  }
  if (former !== undefined) {
    const before = await withdrawPayout(provider, order.tenant, former)
    if (before !== 'withdrawn') return { outcome: before, answersOf: 'former' }
  }
  return { outcome: await provider.payOut(order), answersOf: 'order' }
}

/** What became of a payout; an answer that decides nothing is `unknown`. */
export async function askPayout(
  provider: Provider,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<PayoutState> | 'never ordered'> {
  const outcome = await provider.lookUpPayout(tenant, reference)
  if (outcome.kind !== 'refused') return outcome
  return outcome.code === 'unknown_order' ? 'never ordered' : { kind: 'unknown' }
}

/** Whether the payout will never be paid, or else was; `unknown` while it may yet be. */
async function withdrawPayout(
  provider: Provider,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<PayoutState> | 'withdrawn'> {
  const outcome = await provider.cancelPayout(tenant, reference)
  if (outcome.kind !== 'done') return { kind: 'unknown' }
  if (['Failed', 'Rejected'].includes(outcome.value.status)) return 'withdrawn'
  return isPaid(outcome.value) ? outcome : { kind: 'unknown' }
}

/** Whether money left, even if it came back. */
export const isPaid = ({ status }: PayoutState): boolean =>
  status === 'Successful' || status === 'Returned'
