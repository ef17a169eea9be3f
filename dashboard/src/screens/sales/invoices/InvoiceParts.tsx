import { Table, Text } from '@mantine/core'
import type { Invoice } from '../../../../../sdk/src/operations.ts'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { CustomerLink, ScreenLink } from '../../../ui/links.tsx'
import { dayOf } from '../../../ui/typed-days.ts'
import { channelName, formatState, Money, money, Status, When } from '../../../ui/values.tsx'

export function InvoiceFacts({ of: invoice }: { of: Invoice }) {
  const { currency, amountPaid, amountDue, status } = invoice
  const isOpen = status === 'Sent' || status === 'PartiallyPaid'
  return (
    <Card title="Invoice">
      <Facts>
        <Fact
          label="Customer"
          value={<CustomerLink of={{ name: invoice.customerName, email: invoice.customerEmail }} />}
        />
        <Fact label="Email" value={invoice.customerName ? invoice.customerEmail : undefined} />
        <Fact label="Phone number" value={invoice.customerPhone ?? undefined} />
        <Fact label="Amount" value={<Money amount={invoice.amount} currency={currency} />} />
        <Fact label="Paid" value={amountPaid > 0 ? money(amountPaid, currency) : undefined} />
        <Fact label="Amount due" value={isOpen ? money(amountDue, currency) : undefined} />
        <Fact label="Due date" value={invoice.dueDate ? dayOf(invoice.dueDate) : 'None'} />
        <Fact
          label="Partial payments"
          value={invoice.allowPartialPayment ? 'Allowed' : undefined}
        />
        <Fact
          label="Email status"
          value={invoice.emailStatus ? MAILS[invoice.emailStatus] : 'Not sent yet'}
        />
        <Fact
          label="Note"
          value={invoice.note ? <span className="as-written">{invoice.note}</span> : undefined}
        />
        <Fact label="Reference" copy={invoice.reference} />
      </Facts>
    </Card>
  )
}

const MAILS: Record<string, string> = {
  Queued: 'Queued',
  Sent: 'Sent',
  Failed: 'Not delivered',
  Captured: 'Not sent (no mail server)',
}

export function InvoiceLines({ of: { lineItems, currency, amount } }: { of: Invoice }) {
  if (lineItems.length === 0) return null
  return (
    <Card title="Line items">
      <div className="rows">
        <Table aria-label="Line items">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Description</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Quantity
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Unit price
              </Table.Th>
              <Table.Th ta="right">Amount</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lineItems.map(({ name, quantity, unitAmount, amount: sum }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines can be identical and never move
              <Table.Tr key={i}>
                <Table.Td className="breaks">
                  {name}
                  <Text size="xs" c="dimmed" hiddenFrom="sm">
                    {quantity.toLocaleString('en-NG')} × {money(unitAmount, currency)}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {quantity.toLocaleString('en-NG')}
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {money(unitAmount, currency)}
                </Table.Td>
                <Table.Td ta="right" className="whole">
                  {money(sum, currency)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>Total</Table.Th>
              <Table.Th visibleFrom="sm" />
              <Table.Th visibleFrom="sm" />
              <Table.Th ta="right">{money(amount, currency)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </div>
    </Card>
  )
}

export function InvoicePayments({ of: { payments, currency } }: { of: Invoice }) {
  if (payments.length === 0) return null
  return (
    <Card title="Payments">
      <div className="rows">
        <Table aria-label="Payments">
          <Table.Tbody>
            {payments.map(({ reference, amount, channel, kind, paidAt }) => (
              <Table.Tr key={`${reference} ${kind}`}>
                <Table.Td>
                  <ScreenLink to={`payments/${reference}`}>{money(amount, currency)}</ScreenLink>
                  {kind === 'overpayment' && (
                    <Text span size="sm" c="dimmed">
                      {' '}
                      {formatState(kind)}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td visibleFrom="sm">{channelName(channel)}</Table.Td>
                <Table.Td ta="right">
                  <When at={paidAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Card>
  )
}

/** Shows only one state, although an overdue invoice is also Sent, and can be partly paid. */
export function States({ of: { status, isOverdue } }: { of: Invoice }) {
  return <Status of={isOverdue ? 'Overdue' : status} />
}
