import { Alert, Group, Select, Switch, Text, Textarea, TextInput } from '@mantine/core'
import type { Dispute } from '../../../../../sdk/src/operations.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { DayInput } from '../../../ui/DayInput.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { bytesOf } from '../../../ui/uploads.tsx'
import { money } from '../../../ui/values.tsx'

type FormProps = DialogProps & { of: Dispute }

interface Acceptance extends Record<string, unknown> {
  amount: number | string
  message: string
}

export function AcceptForm({ of: { reference, amount, currency }, ...dialog }: FormProps) {
  return (
    <FormModal<Acceptance>
      title="Accept the dispute?"
      {...dialog}
      initial={{ amount, message: '' }}
      action={act('accept_dispute', {
        input: ({ message, ...values }: Acceptance) => ({
          reference,
          ...(Number(values.amount) !== amount && { amount: values.amount }),
          ...(message.trim() && { message: message.trim() }),
        }),
        done: 'The acceptance is being sent.',
      })}
      validate={{
        amount: (value) => (Number(value) > 0 ? null : 'Enter an amount.'),
      }}
      verb={(values) => `Give back ${money(Number(values.amount), currency)}`}
    >
      {(form) => (
        <>
          <Text size="sm">
            The payer gets the money back, and it is taken from your wallet. This cannot be undone.
          </Text>
          <MoneyInput
            label="Amount"
            description="Not every provider accepts a part."
            currency={currency}
            {...form.field('amount')}
          />
          <Textarea
            label="Message to the payer’s bank (optional)"
            maxLength={2_000}
            autosize
            minRows={2}
            {...form.field('message')}
          />
        </>
      )}
    </FormModal>
  )
}

interface Answer extends Record<string, unknown> {
  message: string
  evidenceId: string | null
  isDetailed: boolean
  serviceDetails: string
  customerName: string
  customerEmail: string
  customerPhone: string
  deliveryAddress: string
  deliveredOn: string
}

const DETAILS = [
  'serviceDetails',
  'customerName',
  'customerEmail',
  'customerPhone',
  'deliveryAddress',
  'deliveredOn',
] as const

export function ContestForm(props: FormProps) {
  const { of: dispute, opened } = props
  const may = usePermission()
  const { data, isPending } = useOperation(
    'list_transactions',
    { reference: dispute.transactionReference, limit: 1 },
    { enabled: opened && may('transactions:read') },
  )
  const [payment] = data?.data ?? []
  const isReady = !may('transactions:read') || !isPending
  return <Contest {...props} opened={opened && isReady} customer={payment?.customer} />
}

interface Customer {
  name: string | null
  email: string | null
  phone: string | null
}

function Contest({
  of: { reference, evidence, amount, currency },
  customer,
  ...dialog
}: FormProps & { customer: Customer | undefined }) {
  const newest = evidence.at(-1)
  return (
    <FormModal<Answer>
      title={`Contest the dispute of ${money(amount, currency)}`}
      size="lg"
      {...dialog}
      initial={{
        message: '',
        evidenceId: newest ? String(newest.id) : null,
        isDetailed: false,
        serviceDetails: '',
        customerName: customer?.name ?? '',
        customerEmail: customer?.email ?? '',
        customerPhone: customer?.phone ?? '',
        deliveryAddress: '',
        deliveredOn: '',
      }}
      action={act('contest_dispute', {
        input: ({ message, evidenceId, isDetailed, ...values }: Answer) => ({
          reference,
          message: message.trim(),
          ...(evidenceId && { evidenceId }),
          ...(isDetailed && detailsIn(values)),
        }),
        done: 'The response is being sent.',
      })}
      validate={{
        message: (text) => (text.trim() ? null : 'Explain why the payment is right.'),
        serviceDetails: (text, { isDetailed }) =>
          isDetailed && !text.trim() ? 'Describe what the customer bought.' : null,
      }}
      verb="Send response"
    >
      {(form) => (
        <>
          <Textarea
            label="Why is the payment right?"
            description="The payer’s bank reads this."
            required
            data-autofocus
            maxLength={2_000}
            autosize
            minRows={4}
            {...form.field('message')}
          />
          {evidence.length > 0 ? (
            <Select
              label="File to send"
              description="The provider takes one file."
              allowDeselect={false}
              data={evidence.map(({ id, name, bytes }) => ({
                value: String(id),
                label: `${name} (${bytesOf(bytes)})`,
              }))}
              {...form.field('evidenceId')}
            />
          ) : (
            <Alert color="yellow">
              No file is attached. Most banks decide for the payer if nothing proves what was
              delivered. You can add files under “Evidence” first.
            </Alert>
          )}
          <Switch
            label="Add what the customer bought"
            description="Some providers ask for this."
            {...form.checkbox('isDetailed')}
          />
          {form.values.isDetailed && (
            <>
              <Textarea
                label="What was bought"
                required
                maxLength={2_000}
                autosize
                minRows={2}
                {...form.field('serviceDetails')}
              />
              <Group align="flex-start" grow>
                <TextInput label="Customer’s name" {...form.field('customerName')} />
                <TextInput label="Phone number" {...form.field('customerPhone')} />
              </Group>
              <TextInput label="Email address" {...form.field('customerEmail')} />
              <TextInput label="Delivered to (optional)" {...form.field('deliveryAddress')} />
              <DayInput label="Delivered on (optional)" {...form.field('deliveredOn')} />
            </>
          )}
        </>
      )}
    </FormModal>
  )
}

/** What was filled in. */
const detailsIn = (values: Pick<Answer, (typeof DETAILS)[number]>) =>
  Object.fromEntries(
    DETAILS.map((name) => [name, values[name].trim()]).filter(([, text]) => text !== ''),
  ) as Partial<Record<(typeof DETAILS)[number], string>>
