import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Envelope } from '../../api/hooks.ts'
import { money, words } from '../../parts/values.tsx'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { t as own } from '../../texts/refunds.ts'
import { RefundForm } from '../payments/RefundForm.tsx'
import { type Payment, refundableOf } from '../payments/types.ts'

/** Finds the payment by its reference first, and then refunds it as its own screen does. */
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
      {opened && <Find onFound={setPayment} onClose={close} />}
    </Modal>
  )
}

function Find({ onFound, onClose }: { onFound(payment: Payment): void; onClose(): void }) {
  const form = useForm({ initialValues: { reference: '' } })
  const [isLooking, setLooking] = useState(false)
  const find = form.onSubmit(async ({ reference }) => {
    setLooking(true)
    try {
      const payment = await paymentOf(reference.trim())
      const refusal = payment ? refusalOf(payment) : own.thereIsNoPaymentWith
      if (payment && !refusal) onFound(payment)
      else form.setFieldError('reference', refusal)
    } catch (error) {
      form.setFieldError('reference', (error as Error).message)
    } finally {
      setLooking(false)
    }
  })
  return (
    <form onSubmit={find} noValidate>
      <Stack>
        <TextInput
          label={own.referenceOfThePayment}
          description={own.youFindItOnThe}
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('reference')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.action.cancel}
          </Button>
          <Button type="submit" loading={isLooking} disabled={form.values.reference.trim() === ''}>
            {own.findThePayment}
          </Button>
        </Group>
      </Stack>
    </form>
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
