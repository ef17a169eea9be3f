import {
  Alert,
  Autocomplete,
  Checkbox,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useParams, useSearch } from '@tanstack/react-router'
import type { Invoice } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useMe, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { businessId } from '../../../api/session.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { Card, DetailPage } from '../../../ui/DetailPage.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { ServerPreview } from '../../../ui/PagePreview.tsx'
import { AddButton, RemoveButton } from '../../../ui/repeated-fields.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'
import { EMPTY, newLine, toCreate, totalOf, toUpdate, type Values, valuesOf } from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewInvoice() {
  return (
    <DetailPage back={{ to: 'invoices', label: 'Invoices' }} title="New invoice" read={NEW}>
      <Form initial={useGiven()} />
    </DetailPage>
  )
}

/** Fills in the customer if the form was opened from a customer's screen. */
function useGiven(): Values {
  const { email = '', name = '', phone = '' } = useSearch({ from: '/$mode/invoices/new' })
  return { ...EMPTY, customerEmail: email, customerName: name, customerPhone: phone }
}

export function EditInvoice() {
  const { reference } = useParams({ from: '/$mode/invoices/$reference/edit' })
  const read = useOperation('get_invoice', { reference })
  const invoice = read.data?.data
  return (
    <DetailPage
      back={{ to: `invoices/${reference}`, label: invoice?.invoiceNumber ?? 'Invoice' }}
      title="Edit invoice"
      read={read}
    >
      {invoice && <Form invoice={invoice} initial={valuesOf(invoice)} />}
    </DetailPage>
  )
}

const editsOf = ({ reference }: Invoice) => ({
  ...at('get_invoice', { reference }),
  valuesOf: ({ data }: Envelope<Invoice>) => valuesOf(data),
})

function Form({ invoice, initial }: { invoice?: Invoice; initial: Values }) {
  const { data: me } = useMe()
  const go = useGo()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const currency = invoice?.currency ?? business?.currency ?? 'NGN'
  const isDraft = !invoice || invoice.status === 'Draft'
  const form = useForm<Values>({ initialValues: initial, validate: isDraft ? CHECKS : {} })
  const { submit, send, says, isPending } = useSubmit(
    form,
    invoice
      ? act('update_invoice', {
          input: (values: Values) => ({
            reference: invoice.reference,
            ...toUpdate(values, isDraft),
          }),
          done: 'Saved.',
        })
      : act('create_invoice', { input: toCreate }),
    (answer) => go(`invoices/${answer.data.reference}`),
    { edits: invoice && editsOf(invoice) },
  )
  const keep = form.onSubmit((values) => send({ ...values, sendImmediately: false }))
  return (
    <form onSubmit={submit} noValidate>
      <div className="with-preview">
        <Stack gap="lg">
          {says}
          {!isDraft && (
            <Alert color="yellow">
              This invoice has been sent, so you can only change its note and due date.
            </Alert>
          )}
          <Customer form={form} isDraft={isDraft} />
          <What form={form} isDraft={isDraft} currency={currency} />
          <Group justify="flex-end" className="form-actions">
            {invoice ? (
              <ActionButton label="Save" isMain type="submit" loading={isPending} />
            ) : (
              <>
                <ActionButton label="Save as draft" disabled={isPending} onClick={() => keep()} />
                <ActionButton label="Send invoice" isMain type="submit" loading={isPending} />
              </>
            )}
          </Group>
        </Stack>
        <Preview values={form.values} currency={currency} number={invoice?.invoiceNumber} />
      </div>
    </form>
  )
}

const CHECKS = {
  customerEmail: (email: string) =>
    /^\S+@\S+\.\S+$/.test(email.trim()) ? null : 'Enter an email address, such as ada@example.com.',
  amount: (_: unknown, values: Values) =>
    totalOf(values) > 0 || values.lineItems.length > 0 ? null : 'Enter an amount above zero.',
  lineItems: {
    name: (name: string) => (name.trim() ? null : 'Enter a description.'),
    quantity: (quantity: number | string) => (Number(quantity) >= 1 ? null : 'Must be at least 1.'),
    unitAmount: (amount: number | string) => (amount === '' ? 'Enter a price.' : null),
  },
}

interface PartProps {
  form: FormState<Values>
  isDraft: boolean
}

function Customer({ form, isDraft }: PartProps) {
  return (
    <Card title="Customer">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <CustomerInput form={form} isDraft={isDraft} />
        <TextInput
          label="Name"
          description="As shown on the invoice."
          disabled={!isDraft}
          {...form.field('customerName')}
        />
        <TextInput
          label="Phone number"
          type="tel"
          disabled={!isDraft}
          {...form.field('customerPhone')}
        />
      </SimpleGrid>
    </Card>
  )
}

function What({ form, isDraft, currency }: PartProps & { currency: string }) {
  return (
    <Card title="Details">
      <Stack>
        <Lines form={form} isDraft={isDraft} currency={currency} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {form.values.lineItems.length === 0 && (
            <MoneyInput
              label="Amount"
              required
              disabled={!isDraft}
              currency={currency}
              {...form.field('amount')}
            />
          )}
          <DayInput label="Due date" {...form.field('dueDate')} />
        </SimpleGrid>
        <Textarea
          label="Note"
          description="Shown to the customer on the invoice."
          autosize
          minRows={2}
          {...form.field('note')}
        />
        <Checkbox
          label="Allow partial payments"
          disabled={!isDraft}
          {...form.checkbox('allowPartialPayment')}
        />
      </Stack>
    </Card>
  )
}

const SUGGESTED = 6

/** Suggests existing customers with a matching email address or name. */
function CustomerInput({ form, isDraft }: PartProps) {
  const { customerEmail } = form.values
  const [asked] = useDebouncedValue(customerEmail.trim(), 200)
  const isOffered = usePermission()('transactions:read') && isDraft && asked.length > 1
  const { data } = useOperation(
    'list_customers',
    { search: asked, limit: SUGGESTED },
    { enabled: isOffered, keepsPrevious: true },
  )
  const known = isOffered ? (data?.data ?? []) : []
  const pick = (email: string) => {
    const { name, phone } = known.find((one) => one.email === email) ?? {}
    if (name) form.setFieldValue('customerName', name)
    if (phone) form.setFieldValue('customerPhone', phone)
  }
  return (
    <Autocomplete
      label="Email address"
      description="We send the invoice to this address."
      placeholder="Name or email"
      type="email"
      autoComplete="off"
      required
      disabled={!isDraft}
      autoFocus={isDraft}
      data={known.map(({ email }) => email)}
      // The server also searches names, which this filter would not find.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{known.find(({ email }) => email === option.value)?.name}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
      onOptionSubmit={pick}
      {...form.field('customerEmail')}
    />
  )
}

function Lines({ form, isDraft, currency }: PartProps & { currency: string }) {
  const { lineItems } = form.values
  return (
    <Stack gap="sm">
      {lineItems.map(({ key }, i) => (
        <Group key={key} align="flex-start" gap="xs" role="group" aria-label={`Line ${i + 1}`}>
          <TextInput
            label="Description"
            disabled={!isDraft}
            style={{ flex: '3 1 11rem' }}
            {...form.field(`lineItems.${i}.name`)}
          />
          <NumberInput
            label="Quantity"
            min={1}
            allowDecimal={false}
            hideControls
            disabled={!isDraft}
            style={{ flex: '1 1 4rem' }}
            {...form.field(`lineItems.${i}.quantity`)}
          />
          <MoneyInput
            label="Unit price"
            currency={currency}
            disabled={!isDraft}
            style={{ flex: '2 1 7rem' }}
            {...form.field(`lineItems.${i}.unitAmount`)}
          />
          {isDraft && (
            <RemoveButton
              what={`line ${i + 1}`}
              onClick={() => form.removeListItem('lineItems', i)}
            />
          )}
        </Group>
      ))}
      {isDraft && (
        <AddButton
          label={lineItems.length === 0 ? 'Add line items' : 'Add a line item'}
          onClick={() => form.insertListItem('lineItems', newLine())}
        />
      )}
    </Stack>
  )
}

/** Previews the page that the customer will see, while the invoice is being edited. */
function Preview({
  values,
  currency,
  number,
}: {
  values: Values
  currency: string
  number: string | undefined
}) {
  const { lineItems, note, dueDate, customerName, customerEmail, allowPartialPayment } = values
  return (
    <ServerPreview
      operation="preview_invoice"
      of={{
        currency,
        number,
        customerName,
        customerEmail,
        note,
        dueDate,
        allowPartialPayment,
        amount: String(values.amount),
        lineItems: lineItems.map(({ name, quantity, unitAmount }) => ({
          name,
          quantity: Math.max(0, Math.trunc(Number(quantity) || 0)),
          unitAmount: String(unitAmount),
        })),
      }}
    />
  )
}
