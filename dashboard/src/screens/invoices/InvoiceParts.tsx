import { Table, Text } from '@mantine/core'
import type { Invoice } from '../../../../sdk/src/operations.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { dayOf } from '../../parts/days-typed.ts'
import { CustomerLink, ScreenLink } from '../../parts/links.tsx'
import { Copyable, channelName, Money, money, Status, When, words } from '../../parts/values.tsx'
import { t } from '../../texts/invoices.ts'

export function InvoiceFacts({ of: invoice }: { of: Invoice }) {
  const { currency, amountPaid, amountDue, status } = invoice
  const isOpen = status === 'Sent' || status === 'PartiallyPaid'
  return (
    <Card title={t.invoice}>
      <Facts
        of={{
          [t.customer]: (
            <CustomerLink of={{ name: invoice.customerName, email: invoice.customerEmail }} />
          ),
          [t.eMail]: invoice.customerName ? invoice.customerEmail : undefined,
          [t.phone]: invoice.customerPhone ?? undefined,
          [t.amount]: <Money amount={invoice.amount} currency={currency} />,
          [t.paid]: amountPaid > 0 ? money(amountPaid, currency) : undefined,
          [t.amountDue]: isOpen ? money(amountDue, currency) : undefined,
          [t.dueDate]: invoice.dueDate ? dayOf(invoice.dueDate) : 'None',
          [t.inParts]: invoice.allowPartialPayment ? t.theCustomerMayPayIn : undefined,
          [t.mail]: invoice.emailStatus ? MAILS[invoice.emailStatus] : t.notSentYet,
          [t.note]: invoice.note ? <span className="as-written">{invoice.note}</span> : undefined,
          [t.reference]: <Copyable text={invoice.reference} />,
        }}
      />
    </Card>
  )
}

const MAILS: Record<string, string> = {
  Queued: t.onItsWay,
  Sent: 'Sent',
  Failed: t.didNotArrive,
  Captured: t.inTheMailboxOfThis,
}

export function InvoiceLines({ of: { lineItems, currency, amount } }: { of: Invoice }) {
  if (lineItems.length === 0) return null
  return (
    <Card title={t.lines}>
      <div className="rows">
        <Table aria-label={t.lines}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.what}</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                {t.quantity}
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                {t.each}
              </Table.Th>
              <Table.Th ta="right">{t.amount}</Table.Th>
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
              <Table.Th>{t.total}</Table.Th>
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
    <Card title={t.payments}>
      <div className="rows">
        <Table aria-label={t.payments}>
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

/** How it stands, in one word: what is overdue was sent, too, and perhaps paid in part. */
export function States({ of: { status, isOverdue } }: { of: Invoice }) {
  return <Status of={isOverdue ? 'Overdue' : status} />
}
