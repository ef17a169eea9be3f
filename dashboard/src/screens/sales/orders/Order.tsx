import { Group, Stack, Table, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPrinter, IconReceiptRefund } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Order as OrderRecord } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { act, useMe, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { businessId } from '../../../api/session.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts, Timeline } from '../../../ui/DetailPage.tsx'
import { useIsPhone } from '../../../ui/Filters.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { CustomerLink, NameOf, ScreenLink } from '../../../ui/links.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Copyable, money, orderNumber, Status, When } from '../../../ui/values.tsx'
import { RefundForm, useRefundable } from '../../payments/RefundForm.tsx'

export function Order() {
  const { reference } = useParams({ from: '/$mode/orders/$reference' })
  const read = useOperation('get_order', { reference })
  const order = read.data?.data
  return (
    <DetailPage
      back={{ to: 'orders', label: 'Orders' }}
      title={order && `Order ${orderNumber(order.reference)}`}
      name={
        order && `${orderNumber(order.reference)} · ${order.customer.name ?? order.customer.email}`
      }
      status={<Status of={order?.status} />}
      read={read}
      actions={order && <Actions of={order} />}
    >
      {order && (
        <>
          <Letterhead of={order} />
          <div className="beside">
            <Stack gap="lg">
              <Goods of={order} />
              {order.downloads.length > 0 && <Downloads of={order} />}
              <Notes of={order.reference} />
            </Stack>
            <Stack gap="lg">
              <Customer of={order} />
              <WhatHappened of={order} />
            </Stack>
          </div>
        </>
      )}
    </DetailPage>
  )
}

/** The header of a printed order. */
function Letterhead({ of: { createdAt } }: { of: OrderRecord }) {
  const { data: me } = useMe()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const isTest = useMode() === 'test'
  return (
    <Text className="only-printed">
      {business?.name} · <When at={createdAt} />
      {isTest && ' · Test order'}
    </Text>
  )
}

function WhatHappened({ of: order }: { of: OrderRecord }) {
  const isEnded = ['Refunded', 'Cancelled'].includes(order.status)
  return (
    <div className="not-printed">
      <Card title="Timeline">
        <Timeline
          steps={[
            { title: 'Started', at: order.createdAt },
            { title: 'Paid', at: order.paidAt },
            ...(isEnded ? [{ title: order.status, at: order.updatedAt }] : []),
          ]}
        />
      </Card>
    </div>
  )
}

function Goods({ of: order }: { of: OrderRecord }) {
  const { currency, lines, discount, deliveryFee } = order
  const isPhone = useIsPhone()
  const sums = [
    { label: 'Subtotal', value: money(order.subtotal, currency) },
    discount > 0 && {
      label: `Discount, ${order.discountCode ?? 'code'}`,
      value: money(-discount, currency),
    },
    deliveryFee > 0 && { label: 'Delivery', value: money(deliveryFee, currency) },
  ].filter((sum) => sum !== false)
  return (
    <Card title="Items">
      <Table aria-label="Items" className="bill">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Item</Table.Th>
            {!isPhone && <Table.Th ta="right">Quantity</Table.Th>}
            {!isPhone && <Table.Th ta="right">Unit price</Table.Th>}
            <Table.Th ta="right">Amount</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ productId, variantId, name, quantity, unitPrice, amount }) => (
            <Table.Tr key={`${productId} ${variantId}`}>
              <Table.Td className="breaks">
                <ScreenLink to={`products/${productId}`}>{name}</ScreenLink>
                {isPhone && (
                  <Text size="sm" c="dimmed">
                    {quantity.toLocaleString('en-NG')} × {money(unitPrice, currency)}
                  </Text>
                )}
              </Table.Td>
              {!isPhone && <Table.Td ta="right">{quantity.toLocaleString('en-NG')}</Table.Td>}
              {!isPhone && <Table.Td ta="right">{money(unitPrice, currency)}</Table.Td>}
              <Table.Td ta="right">{money(amount, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          {sums.length > 1 &&
            sums.map(({ label, value }) => (
              <Table.Tr key={label}>
                <Table.Td colSpan={isPhone ? 1 : 3}>{label}</Table.Td>
                <Table.Td ta="right">{value}</Table.Td>
              </Table.Tr>
            ))}
          <Table.Tr>
            <Table.Td colSpan={isPhone ? 1 : 3}>Total</Table.Td>
            <Table.Td ta="right">{money(order.amount, currency)}</Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Card>
  )
}

function Customer({ of: order }: { of: OrderRecord }) {
  const { customer, delivery } = order
  return (
    <Card title="Customer">
      <Facts>
        <Fact label="Name" value={<CustomerLink of={customer} />} />
        <Fact label="Email" value={customer.name ? customer.email : undefined} />
        <Fact label="Phone number" value={customer.phone ?? undefined} />
        <Fact label="Deliver to" value={delivery.location ?? undefined} />
        <Fact
          label="Address"
          value={
            delivery.address ? <span className="as-written">{delivery.address}</span> : undefined
          }
        />
        <Fact
          label="Payment"
          value={
            order.transactionId === null ? undefined : (
              <span className="not-printed">
                <ScreenLink to={`payments/${order.transactionId}`}>View payment</ScreenLink>
              </span>
            )
          }
        />
        <Fact
          label="Page"
          value={
            order.pageId === null ? undefined : (
              <ScreenLink to={`pages/${order.pageId}`}>
                <NameOf type="page" id={order.pageId} />
              </ScreenLink>
            )
          }
        />
        <Fact label="Reference" copy={order.reference} />
      </Facts>
    </Card>
  )
}

function Downloads({ of: { downloads } }: { of: OrderRecord }) {
  return (
    <div className="not-printed">
      <Card title="Downloads">
        <Stack gap="sm">
          {downloads.map(({ url, name, status, downloads: times, maxDownloads, expiresAt }) => (
            <Group key={url} justify="space-between" align="flex-start">
              <Stack gap={2}>
                <Text fw={600} className="breaks">
                  {name}
                </Text>
                <Text size="sm" c="dimmed" component="div">
                  {maxDownloads === null
                    ? times === 1
                      ? '1 download'
                      : `${times} downloads`
                    : `Downloaded ${times} of ${maxDownloads} times`}
                  {expiresAt && (
                    <>
                      , until <When at={expiresAt} />
                    </>
                  )}
                </Text>
                <Copyable text={url} shown="Customer’s download link" />
              </Stack>
              <Status of={status} />
            </Group>
          ))}
        </Stack>
      </Card>
    </div>
  )
}

function Actions({ of: { transactionId } }: { of: OrderRecord }) {
  const may = usePermission()
  const [isRefunding, refunding] = useDisclosure(false)
  const mayRefund = transactionId !== null && may('refunds:write') && may('transactions:read')
  const read = useOperation('fetch_transaction', { id: transactionId ?? 0 }, { enabled: mayRefund })
  const payment = mayRefund ? read.data?.data : undefined
  const { left } = useRefundable(payment)
  return (
    <>
      {left > 0 && (
        <ActionButton icon={IconReceiptRefund} label="Refund" onClick={refunding.open} />
      )}
      <ActionButton icon={IconPrinter} label="Print" onClick={() => globalThis.print()} />
      {payment && <RefundForm of={payment} opened={isRefunding} onClose={refunding.close} />}
    </>
  )
}

const LENGTH_MAX = 2_000
const NOTHING = { text: '' }

/** Shows the team's notes, which customers never see. */
function Notes({ of: reference }: { of: string }) {
  const mayWrite = usePermission()('orders:write')
  const { data } = useOperation('list_order_notes', { reference })
  const notes = data?.data ?? []
  if (notes.length === 0 && !mayWrite) return null
  return (
    <div className="not-printed">
      <Card title="Notes">
        <Stack gap="lg">
          {mayWrite && <NewNote reference={reference} />}
          {notes.length > 0 && (
            <ul className="bare notes" aria-label="Notes">
              {notes.map(({ id, text, author, createdAt }) => (
                <li key={id}>
                  <Text className="as-written breaks">{text}</Text>
                  <Text size="sm" c="dimmed" component="div" className="breaks">
                    {author} · <When at={createdAt} />
                  </Text>
                </li>
              ))}
            </ul>
          )}
        </Stack>
      </Card>
    </div>
  )
}

function NewNote({ reference }: { reference: string }) {
  const form = useForm({
    initialValues: NOTHING,
    validate: { text: (text) => (text.trim() === '' ? 'Write a note first.' : null) },
  })
  const { submit, isPending } = useSubmit(
    form,
    act('create_order_note', {
      input: ({ text }: typeof NOTHING) => ({ reference, text }),
      done: 'Note added.',
      // The form keeps its text until the note is in the list, but does not wait for the rest.
      refresh: ['list_order_notes'],
    }),
    (_, sent) => {
      form.resetDirty(NOTHING)
      // The next note may already have been started.
      if (form.getValues().text === sent.text) form.setValues(NOTHING)
    },
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Textarea
          label="New note"
          description="Only your team sees notes."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={LENGTH_MAX}
          {...form.field('text')}
        />
        <Group justify="flex-end">
          <ActionButton label="Add note" type="submit" loading={isPending} />
        </Group>
      </Stack>
    </form>
  )
}
