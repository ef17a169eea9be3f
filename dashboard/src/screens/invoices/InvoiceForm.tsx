import {
  Alert,
  Button,
  Checkbox,
  Group,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useParams, useSearch } from '@tanstack/react-router'
import type { Invoice } from '../../../../sdk/src/operations.ts'
import { type Envelope, useMe, useRead } from '../../api/hooks.ts'
import { businessId } from '../../api/session.ts'
import { DayInput } from '../../parts/DayInput.tsx'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { type Search, useGo } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { t as own } from '../../texts/invoices.ts'
import { CustomerInput } from './CustomerInput.tsx'
import { Lines } from './Lines.tsx'
import { Preview } from './Preview.tsx'
import { EMPTY, toCreate, totalOf, toUpdate, type Values, valuesOf } from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewInvoice() {
  return (
    <DetailPage back={{ to: 'invoices', label: own.invoices }} title={own.newInvoice} read={NEW}>
      <Form initial={useGiven()} />
    </DetailPage>
  )
}

/** An invoice from a customer is for them. */
function useGiven(): Values {
  const { email = '', name = '', phone = '' } = useSearch({ strict: false }) as Search
  return { ...EMPTY, customerEmail: email, customerName: name, customerPhone: phone }
}

export function EditInvoice() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Invoice>>(`payment-service/invoices/${reference}`)
  const invoice = read.data?.data
  return (
    <DetailPage
      back={{ to: `invoices/${reference}`, label: invoice?.invoiceNumber ?? own.invoice }}
      title={own.editTheInvoice}
      read={read}
    >
      {invoice && <Form invoice={invoice} initial={valuesOf(invoice)} />}
    </DetailPage>
  )
}

const editsOf = ({ reference }: Invoice) => ({
  path: `payment-service/invoices/${reference}`,
  valuesOf: ({ data }: Envelope<Invoice>) => valuesOf(data),
})

/** The form, and beside it what the customer will see. */
function Form({ invoice, initial }: { invoice?: Invoice; initial: Values }) {
  const { data: me } = useMe()
  const go = useGo()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const currency = invoice?.currency ?? business?.currency ?? 'NGN'
  const isDraft = !invoice || invoice.status === 'Draft'
  const form = useForm<Values>({ initialValues: initial, validate: isDraft ? CHECKS : {} })
  const path = 'payment-service/invoices'
  const { submit, send, says, isPending } = useSubmit<Values, Envelope<Invoice>>(
    form,
    invoice
      ? {
          path: `${path}/${invoice.reference}`,
          method: 'PUT',
          send: (values) => toUpdate(values, isDraft),
          done: t.action.saved,
        }
      : { path, send: toCreate },
    (answer) => go(`invoices/${answer.data.reference}`),
    { edits: invoice && editsOf(invoice) },
  )
  const keep = form.onSubmit((values) => send({ ...values, sendImmediately: false }))
  return (
    <form onSubmit={submit} noValidate>
      <div className="with-preview">
        <Stack gap="lg">
          {says}
          {!isDraft && <Alert color="yellow">{own.itWasSentOnlyIts}</Alert>}
          <Customer form={form} isDraft={isDraft} />
          <What form={form} isDraft={isDraft} currency={currency} />
          <Group justify="flex-end" className="form-actions">
            {invoice ? (
              <Button type="submit" loading={isPending}>
                {t.action.save}
              </Button>
            ) : (
              <>
                <Button variant="default" disabled={isPending} onClick={() => keep()}>
                  {own.saveAsADraft}
                </Button>
                <Button type="submit" loading={isPending}>
                  {own.send}
                </Button>
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
    /^\S+@\S+\.\S+$/.test(email.trim()) ? null : own.anEMailAddressSuch,
  amount: (_: unknown, values: Values) =>
    totalOf(values) > 0 || values.lineItems.length > 0 ? null : own.mustBeMoreThanZero,
  lineItems: {
    name: (name: string) => (name.trim() ? null : own.whatIsIt),
    quantity: (quantity: number | string) => (Number(quantity) >= 1 ? null : own.atLeastOne),
    unitAmount: (amount: number | string) => (amount === '' ? own.whatDoesOneCost : null),
  },
}

export interface PartProps {
  form: UseFormReturnType<Values>
  isDraft: boolean
}

function Customer({ form, isDraft }: PartProps) {
  return (
    <Card title={own.whoPays}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <CustomerInput form={form} isDraft={isDraft} />
        <TextInput
          label={own.name}
          description={own.asItStandsOnThe}
          disabled={!isDraft}
          {...form.getInputProps('customerName')}
        />
        <TextInput
          label={own.phone}
          type="tel"
          disabled={!isDraft}
          {...form.getInputProps('customerPhone')}
        />
      </SimpleGrid>
    </Card>
  )
}

function What({ form, isDraft, currency }: PartProps & { currency: string }) {
  return (
    <Card title={own.whatFor}>
      <Stack>
        <Lines form={form} isDraft={isDraft} currency={currency} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {form.values.lineItems.length === 0 && (
            <MoneyInput
              label={own.amount}
              required
              disabled={!isDraft}
              currency={currency}
              {...form.getInputProps('amount')}
            />
          )}
          <DayInput label={own.dueDate} {...form.getInputProps('dueDate')} />
        </SimpleGrid>
        <Textarea
          label={own.note}
          description={own.forTheCustomerOnThe}
          autosize
          minRows={2}
          {...form.getInputProps('note')}
        />
        <Checkbox
          label={own.theCustomerMayPayIn}
          disabled={!isDraft}
          {...form.getInputProps('allowPartialPayment', { type: 'checkbox' })}
        />
      </Stack>
    </Card>
  )
}
