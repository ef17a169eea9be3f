import { Table, Text } from '@mantine/core'
import type { Invoice } from '../../../../sdk/src/operations.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import {
  Copyable,
  channelName,
  dayOf,
  Money,
  money,
  Status,
  When,
  words,
} from '../../parts/values.tsx'

export function InvoiceFacts({ of: invoice }: { of: Invoice }) {
  const { currency, amountPaid, amountDue, status } = invoice
  const isOpen = status === 'Sent' || status === 'PartiallyPaid'
  return (
    <Card title="Invoice">
      <Facts
        of={{
          Customer: invoice.customerName ?? undefined,
          'E-mail': invoice.customerEmail,
          Phone: invoice.customerPhone ?? undefined,
          Amount: <Money amount={invoice.amount} currency={currency} />,
          Paid: amountPaid > 0 ? money(amountPaid, currency) : undefined,
          Due: isOpen ? money(amountDue, currency) : undefined,
          'Due date': invoice.dueDate ? dayOf(invoice.dueDate) : 'None',
          'In parts': invoice.allowPartialPayment ? 'The customer may pay in parts' : undefined,
          Mail: invoice.emailStatus ? MAILS[invoice.emailStatus] : 'Not sent yet',
          Note: invoice.note ? <span className="as-written">{invoice.note}</span> : undefined,
          Reference: <Copyable text={invoice.reference} />,
        }}
      />
    </Card>
  )
}

const MAILS: Record<string, string> = {
  Queued: 'On its way',
  Sent: 'Sent',
  Failed: 'Did not arrive',
  Captured: 'In the mailbox of this server, as no mail server is set',
}

export function InvoiceLines({ of: { lineItems, currency, amount } }: { of: Invoice }) {
  if (lineItems.length === 0) return null
  return (
    <Card title="Lines">
      <div className="rows">
        <Table aria-label="Lines">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Quantity
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Each
              </Table.Th>
              <Table.Th ta="right">Amount</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lineItems.map(({ name, quantity, unitAmount, amount: sum }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike, and none moves
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
                      {words(kind)}
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

export function States({ of: { status, isOverdue } }: { of: Invoice }) {
  return (
    <>
      <Status of={status} /> {isOverdue && <Status of="Overdue" />}
    </>
  )
}
