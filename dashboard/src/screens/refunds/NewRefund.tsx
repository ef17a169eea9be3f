import { Loader, Modal, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { money, words } from '../../parts/values.tsx'
import { useGo } from '../../shell/where.ts'
import { t as own } from '../../texts/refunds.ts'
import { RefundForm } from '../payments/RefundForm.tsx'
import { type Payment, refundableOf } from '../payments/types.ts'

/** Finds the payment first, and then refunds it as its own screen does. */
export function NewRefund({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const go = useGo()
  const [payment, setPayment] = useState<Payment>()
  const close = () => {
    setPayment(undefined)
    onClose()
  }
  if (payment) {
    return (
      <RefundForm
        of={payment}
        opened={opened}
        onClose={close}
        onDone={(reference) => go(`refunds/${reference}`)}
      />
    )
  }
  return (
    <Modal opened={opened} onClose={close} title={own.refundAPayment}>
      {opened && <Find onFound={setPayment} />}
    </Modal>
  )
}

interface Hit {
  title: string
  detail: string
  /** `payments/TRX_1` */
  path: string
}

const TYPING_MS = 250
const CHARACTERS_MIN = 2

/** By customer, amount, invoice number, or how the reference begins. */
function Find({ onFound }: { onFound(payment: Payment): void }) {
  const [typed, setTyped] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const isAsked = q.length >= CHARACTERS_MIN
  const { data, isFetching } = useRead<Envelope<Hit[]>>(
    '/console/search',
    { q, only: 'transaction' },
    isAsked,
  )
  const hits = isAsked ? (data?.data ?? []) : []
  const choose = async ({ path }: Hit) => {
    try {
      const payment = await paymentOf(path.replace('payments/', ''))
      const why = payment ? refusalOf(payment) : own.thereIsNoPaymentWith
      if (payment && !why) onFound(payment)
      else setRefusal(why)
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  return (
    <Stack>
      <TextInput
        label={own.findThePayment}
        description={own.byCustomerAmount}
        autoComplete="off"
        data-autofocus
        value={typed}
        error={refusal}
        rightSection={isFetching && isAsked ? <Loader size={16} /> : undefined}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setRefusal(undefined)
        }}
      />
      {hits.length > 0 && (
        <ul className="bare found" aria-label={own.payments}>
          {hits.map((hit) => (
            <li key={hit.path}>
              <UnstyledButton py={8} w="100%" onClick={() => void choose(hit)}>
                <Text size="sm">{hit.title}</Text>
                <Text size="xs" c="dimmed" className="breaks">
                  {hit.detail}
                </Text>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      {isAsked && data && !isFetching && hits.length === 0 && (
        <Text size="sm" c="dimmed">
          {own.noPaymentFound}
        </Text>
      )}
    </Stack>
  )
}

async function paymentOf(reference: string): Promise<Payment | undefined> {
  const query = { reference, limit: 1 }
  const found = await call<Envelope<Payment[]>>('transaction-service/transactions', { query })
  return found.data[0]
}

/** Why a payment cannot be refunded; undefined when it can. */
function refusalOf(payment: Payment): string | undefined {
  if (payment.channel === 'OFFLINE') return own.itWasPaidOutsideTradepost
  if (!['Successful', 'PartiallyRefunded'].includes(payment.status)) {
    const sum = money(payment.amount, payment.currency)
    return own.thisPaymentOfIs(sum, words(payment.status).toLowerCase())
  }
  return refundableOf(payment) > 0 ? undefined : own.allOfItIsRefunded
}
