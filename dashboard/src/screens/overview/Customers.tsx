import { Alert, Text } from '@mantine/core'
import { IconFileInvoice, IconPlus, IconTrash } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { act, useAction, useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Card, DetailPage } from '../../ui/DetailPage.tsx'
import { useDayOf } from '../../ui/days.ts'
import { Figures } from '../../ui/Figures.tsx'
import { AMOUNT, ListPage, Rows, STATUS } from '../../ui/ListPage.tsx'
import { MoreMenu } from '../../ui/MoreMenu.tsx'
import type { RecordsScreen } from '../../ui/navigation.ts'
import { useGo } from '../../ui/navigation.ts'
import { dayOf } from '../../ui/typed-days.ts'
import {
  Copyable,
  channelName,
  Money,
  money,
  orderNumber,
  shortReference,
  Truncated,
  When,
} from '../../ui/values.tsx'

/** Includes everyone who has paid, ordered or received an invoice. */
export function Customers() {
  const may = usePermission()
  const go = useGo()
  const bill = may('invoices:write') && (
    <ActionButton icon={IconPlus} label="New invoice" isMain onClick={() => go('invoices/new')} />
  )
  return (
    <ListPage
      title="Customers"
      operation="list_customers"
      search="search"
      columns={[
        {
          label: 'Customer',
          cell: ({ name, email }) => <Truncated text={name ?? email} also={email} />,
        },
        {
          label: 'Email',
          cell: ({ email }) => <Truncated text={email} />,
          onPhone: 'below',
          isWide: true,
        },
        {
          label: 'Paid',
          cell: ({ paid, currency }) => <Money amount={paid} currency={currency} />,
          align: 'right',
          onPhone: true,
        },
        { label: 'Payments', cell: ({ payments }) => payments, align: 'right' },
        { label: 'Invoices', cell: ({ invoices }) => invoices, align: 'right' },
        { label: 'Orders', cell: ({ orders }) => orders, align: 'right' },
        {
          label: 'Last seen',
          cell: ({ lastAt }) => <When at={lastAt} />,
          align: 'right',
          onPhone: 'below',
        },
      ]}
      keyOf={({ email }) => email}
      hrefOf={({ email }) => `customers/${encodeURIComponent(email)}`}
      empty={{
        title: 'No customers yet',
        text: 'Everyone who pays, orders or gets an invoice from you appears here.',
        action: bill,
      }}
    />
  )
}

export function Customer() {
  const { email } = useParams({ from: '/$mode/customers/$email' })
  const read = useOperation('get_customer', { email })
  const may = usePermission()
  const businessDay = useDayOf()
  const customer = read.data?.data
  const billed = {
    email,
    ...(customer?.name && { name: customer.name }),
    ...(customer?.phone && { phone: customer.phone }),
  }
  return (
    <DetailPage
      back={{ to: 'customers', label: 'Customers' }}
      title={<span className="breaks">{customer?.name ?? email}</span>}
      actions={
        <>
          {may('invoices:write') && (
            <ActionButton
              icon={IconFileInvoice}
              label="New invoice"
              to="invoices/new"
              search={billed}
            />
          )}
          {customer && <More email={customer.email} />}
        </>
      }
      read={read}
    >
      {customer && (
        <>
          <div>
            <Copyable text={customer.email} />
          </div>
          {may('business:write') && <Erasure of={customer.email} />}
          <Figures
            of={[
              { label: 'Paid', value: money(customer.paid, customer.currency) },
              { label: 'Payments', value: customer.payments.toLocaleString('en-NG') },
              { label: 'First seen', value: dayOf(businessDay(customer.firstAt)) },
              { label: 'Last seen', value: dayOf(businessDay(customer.lastAt)) },
            ]}
          />
          <List title="Payments" of={customer.lastPayments} screen="payments" isPayment />
          <List title="Invoices" of={customer.lastInvoices} screen="invoices" />
          <List title="Orders" of={customer.lastOrders} screen="orders" />
        </>
      )}
    </DetailPage>
  )
}

function Erasure({ of: email }: { of: string }) {
  const asked = useOperation('get_erasure', { email }).data?.data
  if (!asked) return null
  return asked.refused === null ? (
    <Alert title="This customer’s data is being erased">
      It was asked for on <When at={asked.askedAt} />, and can take some minutes.
    </Alert>
  ) : (
    <Alert color="yellow" title="This customer’s data could not be erased">
      {asked.refused}
    </Alert>
  )
}

/** Owners and admins can meet a person's request to be erased. */
function More({ email }: { email: string }) {
  const go = useGo()
  const may = usePermission()
  const erase = useAction(
    act('erase_customer', {
      input: () => ({ email }),
      done: 'The customer’s personal data is being erased.',
      refresh: ['list_customers', 'get_erasure'],
    }),
  )
  const ask = () =>
    confirm({
      title: 'Erase this customer’s data?',
      text: `The name, email address, phone number, addresses and notes of ${email} will be removed from all records, in test and live mode, and their events deleted. Amounts and references stay. So do the audit log and the reasons that people have typed.`,
      verb: 'Erase data',
      isDangerous: true,
      go: () => erase.mutate(undefined, { onSuccess: () => go('customers') }),
    })
  return (
    <MoreMenu
      choices={[
        {
          label: 'Erase personal data',
          icon: IconTrash,
          isDangerous: true,
          may: may('business:write'),
          go: ask,
        },
      ]}
    />
  )
}

const nameOf = (screen: string, reference: string): string =>
  screen === 'orders' ? orderNumber(reference) : shortReference(reference)

function List({
  title,
  of: rows,
  screen,
  isPayment = false,
}: {
  title: string
  of: Done[] | null
  screen: RecordsScreen
  isPayment?: boolean
}) {
  if (!rows) return null
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed">No {title.toLowerCase()} yet.</Text>
      ) : (
        <Rows<Done>
          title={title}
          columns={[
            AMOUNT,
            STATUS,
            ...(isPayment
              ? [{ label: 'Paid by', cell: ({ channel }: Done) => channelName(channel) }]
              : []),
            {
              label: isPayment ? 'Reference' : 'Number',
              cell: ({ reference, number }) => number ?? nameOf(screen, reference),
            },
            {
              label: 'Date',
              cell: ({ createdAt }) => <When at={createdAt} />,
              align: 'right',
              onPhone: 'below',
            },
          ]}
          rows={rows}
          keyOf={({ reference }) => reference}
          hrefOf={({ reference }) => `${screen}/${reference}`}
          empty={{ title: '', text: '' }}
        />
      )}
    </Card>
  )
}

interface Done {
  reference: string
  /** The invoice number. */
  number: string | null
  status: string
  channel: string | null
  amount: number
  currency: string
  createdAt: string
}
