import type { Deposit, Transaction } from '../../../../sdk/src/operations.ts'
import { useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { type Step, Timeline } from '../../ui/DetailPage.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { formatState, money, sentence } from '../../ui/values.tsx'
import { reasonName, senderOf, stateOf } from './deposits/names.ts'

/** A payment has few refunds, deposits and disputes. */
const ROWS_MAX = 50

/** The history of a payment with its refunds, deposits and disputes, as far as the user may see. */
export function PaymentHistory({ of: { reference, timeline } }: { of: Transaction }) {
  const may = usePermission()
  const ofThis = { transactionReference: reference, limit: ROWS_MAX }
  const refunds = useOperation('list_refunds', ofThis, { enabled: may('refunds:read') })
  const disputes = useOperation('list_disputes', ofThis, { enabled: may('disputes:read') })
  const deposits = useOperation('list_deposits', ofThis)
  const steps: Step[] = [
    ...timeline.map(({ status, at, message }) => ({
      title: formatState(status),
      at,
      text: message,
    })),
    ...(refunds.data?.data ?? []).flatMap((refund) => stepsOf('Refund', 'refunds', refund)),
    ...(disputes.data?.data ?? []).flatMap((dispute) => stepsOf('Dispute', 'disputes', dispute)),
    ...(deposits.data?.data ?? []).map(stepOf),
  ]
  return <Timeline steps={steps} />
}

interface Listed {
  reference: string
  amount: number
  currency: string
  timeline: { status: string; at: string; message: string | null }[]
}

const stepsOf = (
  name: string,
  screen: 'refunds' | 'disputes',
  { reference, amount, currency, timeline }: Listed,
): Step[] =>
  timeline.map(({ status, at, message }) => ({
    title: (
      <ScreenLink to={`${screen}/${reference}`}>
        {name} of {money(amount, currency)}: {formatState(status).toLowerCase()}
      </ScreenLink>
    ),
    at,
    text: message,
  }))

const stepOf = (deposit: Deposit): Step => {
  const { reference, amount, currency, createdAt, reason, sender } = deposit
  const state = formatState(stateOf(deposit)).toLowerCase()
  return {
    title: (
      <ScreenLink to={`deposits/${reference}`}>
        Deposit of {money(amount, currency)}: {state}
      </ScreenLink>
    ),
    at: createdAt,
    text: [sender && `From ${senderOf(deposit)}`, reason && reasonName(reason)]
      .map((part) => sentence(part))
      .filter(Boolean)
      .join(' '),
  }
}
