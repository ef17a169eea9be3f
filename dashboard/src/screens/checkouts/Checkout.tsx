import { Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Checkout as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Sharing } from '../../parts/Sharing.tsx'
import { Copyable, channelName, Json, money, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/checkout.ts'
import { Account } from './Account.tsx'

const PATH = 'payment-service/initialize-checkout'

/** One payment that was asked for: the link to hand on, and what became of it. */
export function Checkout() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>(`${PATH}/${reference}`)
  const checkout = read.data?.data
  const isOpen = checkout?.state === 'Open'
  const may = useMay()
  return (
    <DetailPage
      back={{ to: 'payments', label: t.checkouts }}
      title={checkout && money(checkout.amount, checkout.currency)}
      status={<Status of={checkout?.state} />}
      read={read}
      actions={isOpen && may('checkout:write') && <Cancel reference={reference} />}
    >
      {checkout && (
        <>
          {isOpen && (
            <Sharing
              link={checkout.authorizationUrl}
              title={money(checkout.amount, checkout.currency)}
              text={t.sharing}
            />
          )}
          {isOpen && checkout.channels.includes('BANK_TRANSFER') && may('checkout:write') && (
            <Account key={reference} of={checkout} />
          )}
          <CheckoutFacts of={checkout} />
          {checkout.metadata && (
            <Card title={t.facts.metadata}>
              <Json value={checkout.metadata} />
            </Card>
          )}
        </>
      )}
    </DetailPage>
  )
}

function Cancel({ reference }: { reference: string }) {
  const act = useAction({ path: `${PATH}/${reference}/cancel`, done: t.cancelled })
  return (
    <Button
      variant="default"
      leftSection={<IconX size={16} />}
      loading={act.isPending}
      onClick={() =>
        confirm({
          title: t.cancelTitle,
          text: t.cancelText,
          verb: t.cancel,
          isDangerous: true,
          go: () => act.mutate(),
        })
      }
    >
      {t.cancel}
    </Button>
  )
}

function CheckoutFacts({ of }: { of: Record }) {
  const { facts } = t
  return (
    <Card title={t.checkout}>
      <Facts
        of={{
          [facts.payer]: of.customer.name ?? undefined,
          [facts.email]: of.customer.email,
          [facts.phone]: of.customer.phone ?? undefined,
          [facts.amount]: money(of.amount, of.currency),
          [facts.channels]: of.channels.map(channelName).join(', '),
          ...Object.fromEntries(of.customFields.map(({ label, value }) => [label, value])),
          ...linksOf(of),
          [facts.back]: of.callbackUrl ?? undefined,
          [facts.reference]: <Copyable text={of.reference} />,
          [facts.made]: <When at={of.createdAt} />,
          [facts.expires]: of.state === 'Open' ? <When at={of.expiresAt} /> : undefined,
          [facts.paid]: of.paidAt ? <When at={of.paidAt} /> : undefined,
        }}
      />
    </Card>
  )
}

/** What it belongs to, where there is such. */
function linksOf(of: Record) {
  const link = (name: string | number | null, screen: string) =>
    name === null ? undefined : <ScreenLink to={`${screen}/${name}`}>{name}</ScreenLink>
  const { facts } = t
  return {
    [facts.payment]: link(of.transactionReference, 'payments'),
    [facts.order]: link(of.orderReference, 'orders'),
    [facts.page]: link(of.pageId, 'pages'),
    [facts.split]: link(of.splitPageId, 'splits'),
    [facts.subaccount]: link(of.subaccountCode, 'subaccounts'),
  }
}
