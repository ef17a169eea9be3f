import { Group, Stack, Table, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Order as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useMe, useRead } from '../../api/hooks.ts'
import { businessId } from '../../api/session.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { CustomerLink, ScreenLink } from '../../parts/links.tsx'
import { NameOf } from '../../parts/names.tsx'
import { Timeline } from '../../parts/Timeline.tsx'
import { Copyable, money, orderNumber, Status, When } from '../../parts/values.tsx'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/orders.ts'
import { Actions } from './Actions.tsx'
import { Notes } from './Notes.tsx'

export function Order() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>(`transaction-service/orders/${reference}`)
  const order = read.data?.data
  return (
    <DetailPage
      back={{ to: 'orders', label: t.orders }}
      title={order && t.orderNumbered(orderNumber(order.reference))}
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

/** On paper: whose order it is, and of when. */
function Letterhead({ of: { createdAt } }: { of: Record }) {
  const { data: me } = useMe()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const isTest = useMode() === 'test'
  return (
    <Text className="only-printed">
      {business?.name} · <When at={createdAt} />
      {isTest && ` · ${t.testOrder}`}
    </Text>
  )
}

function WhatHappened({ of: order }: { of: Record }) {
  const isEnded = ['Refunded', 'Cancelled'].includes(order.status)
  return (
    <div className="not-printed">
      <Card title={t.whatHappened}>
        <Timeline
          steps={[
            { title: t.started, at: order.createdAt },
            { title: t.paid, at: order.paidAt },
            ...(isEnded ? [{ title: order.status, at: order.updatedAt }] : []),
          ]}
        />
      </Card>
    </div>
  )
}

function Goods({ of: order }: { of: Record }) {
  const { currency, lines, discount, deliveryFee } = order
  const isPhone = useIsPhone()
  const sums = [
    { label: t.goods, value: money(order.subtotal, currency) },
    discount > 0 && {
      label: t.discount(order.discountCode ?? 'by a code'),
      value: money(-discount, currency),
    },
    deliveryFee > 0 && { label: t.delivery, value: money(deliveryFee, currency) },
  ].filter((sum) => sum !== false)
  return (
    <Card title={t.whatWasBought}>
      <Table aria-label={t.whatWasBought} className="bill">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.what}</Table.Th>
            {!isPhone && <Table.Th ta="right">{t.quantity}</Table.Th>}
            {!isPhone && <Table.Th ta="right">{t.each}</Table.Th>}
            <Table.Th ta="right">{t.amount}</Table.Th>
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
            <Table.Td colSpan={isPhone ? 1 : 3}>{t.total}</Table.Td>
            <Table.Td ta="right">{money(order.amount, currency)}</Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Card>
  )
}

function Customer({ of: order }: { of: Record }) {
  const { customer, delivery } = order
  return (
    <Card title={t.customer}>
      <Facts
        of={{
          [t.name]: <CustomerLink of={customer} />,
          [t.eMail]: customer.name ? customer.email : undefined,
          [t.phone]: customer.phone ?? undefined,
          [t.deliveredTo]: delivery.location ?? undefined,
          [t.address]: delivery.address ? (
            <span className="as-written">{delivery.address}</span>
          ) : undefined,
          [t.payment]:
            order.transactionId === null ? undefined : (
              <span className="not-printed">
                <ScreenLink to={`payments/${order.transactionId}`}>{t.seeThePayment}</ScreenLink>
              </span>
            ),
          [t.page]:
            order.pageId === null ? undefined : (
              <ScreenLink to={`pages/${order.pageId}`}>
                <NameOf type="page" id={order.pageId} />
              </ScreenLink>
            ),
          [t.reference]: <Copyable text={order.reference} />,
        }}
      />
    </Card>
  )
}

/** What the customer can download, and how often it was. */
function Downloads({ of: { downloads } }: { of: Record }) {
  return (
    <div className="not-printed">
      <Card title={t.downloads}>
        <Stack gap="sm">
          {downloads.map(({ url, name, status, downloads: times, maxDownloads, expiresAt }) => (
            <Group key={url} justify="space-between" align="flex-start">
              <Stack gap={2}>
                <Text fw={600} className="breaks">
                  {name}
                </Text>
                <Text size="sm" c="dimmed" component="div">
                  {maxDownloads === null ? t.downloaded(times) : t.ofDownloads(times, maxDownloads)}
                  {expiresAt && (
                    <>
                      {t.until} <When at={expiresAt} />
                    </>
                  )}
                </Text>
                <Copyable text={url} shown={t.linkOfTheCustomer} />
              </Stack>
              <Status of={status} />
            </Group>
          ))}
        </Stack>
      </Card>
    </div>
  )
}
