import { NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Transaction } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, Related } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'

/** Hidden if there are no disputes. */
export function DisputesOfPayment({ of: { reference } }: { of: Transaction }) {
  const { data } = useOperation('list_disputes', { transactionReference: reference, limit: 50 })
  const disputes = data?.data ?? []
  if (disputes.length === 0) return null
  return (
    <Card title="Disputes">
      <Stack gap="sm">
        {disputes.map((dispute) => (
          <Related
            key={dispute.reference}
            to={`disputes/${dispute.reference}`}
            of={dispute}
            note={dispute.reason}
          />
        ))}
      </Stack>
    </Card>
  )
}

const DISPUTABLE = ['Successful', 'PartiallyRefunded']

/** In test mode, lets users dispute a payment that the simulator has received. */
export function SimulateDispute({ of: payment }: { of: Transaction }) {
  const may = usePermission()
  const mode = useMode()
  const isPossible =
    mode === 'test' && may('simulator:write') && DISPUTABLE.includes(payment.status)
  const { data } = useOperation('get_payment_orders', { id: payment.id }, { enabled: isPossible })
  const [isOpening, opening] = useDisclosure(false)
  const isSimulated = data?.data.some(({ provider }) => provider === 'simulator')
  if (!isPossible || !isSimulated) return null
  return (
    <div className="test-card">
      <Card title="Simulate a dispute">
        <Text size="sm" c="dimmed" mb="sm">
          In test mode, you can ask for the money back on behalf of the payer.
        </Text>
        <ActionButton label="Dispute this payment" size="sm" onClick={opening.open} />
      </Card>
      <DisputeForm of={payment} opened={isOpening} onClose={opening.close} />
    </div>
  )
}

interface Values extends Record<string, unknown> {
  amount: number | string
  reason: string
  dueInHours: number | string
}

function DisputeForm({
  of: { reference, paidAmount, currency },
  ...dialog
}: DialogProps & { of: Transaction }) {
  return (
    <FormModal<Values>
      title="Dispute this payment"
      {...dialog}
      initial={{
        amount: paidAmount ?? '',
        reason: 'I did not get what I paid for',
        dueInHours: 48,
      }}
      action={act('simulate_dispute', {
        input: ({ amount, reason, dueInHours }: Values) => ({
          reference,
          amount,
          reason: reason.trim(),
          dueInHours: Number(dueInHours),
        }),
        done: 'The payment is disputed.',
      })}
      verb="Dispute payment"
    >
      {(form) => (
        <>
          <MoneyInput label="Amount" currency={currency} {...form.field('amount')} />
          <Textarea
            label="What the payer says"
            maxLength={200}
            autosize
            {...form.field('reason')}
          />
          <NumberInput
            label="Hours until a response is due"
            description="Without a response by then, the dispute is lost."
            min={1}
            max={1440}
            allowDecimal={false}
            {...form.field('dueInHours')}
          />
        </>
      )}
    </FormModal>
  )
}
