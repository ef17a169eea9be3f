import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import {
  IconBan,
  IconBell,
  IconCash,
  IconFileTypePdf,
  IconPencil,
  IconSend,
} from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Invoice as Record } from '../../../../sdk/src/operations.ts'
import { addressOf } from '../../api/call.ts'
import { download } from '../../api/download.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { Sharing } from '../../parts/Sharing.tsx'
import { type Step, Timeline } from '../../parts/Timeline.tsx'
import { channelName, Json, money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/invoices.ts'
import { type Further, InvoiceMails } from './InvoiceMails.tsx'
import { InvoiceFacts, InvoiceLines, InvoicePayments, States } from './InvoiceParts.tsx'
import { MarkPaid } from './MarkPaid.tsx'

export function Invoice() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>(`payment-service/invoices/${reference}`)
  const invoice = read.data?.data
  const further = useRead<Envelope<Further>>(`/console/invoices/${reference}/timeline`).data?.data
  return (
    <DetailPage
      back={{ to: 'invoices', label: t.invoices }}
      title={invoice && t.invoiceNumbered(invoice.invoiceNumber)}
      name={
        invoice && `${invoice.invoiceNumber} · ${invoice.customerName ?? invoice.customerEmail}`
      }
      status={invoice && <States of={invoice} />}
      read={read}
      actions={invoice && <Actions of={invoice} />}
    >
      {invoice && (
        <>
          {invoice.emailStatus === 'Failed' && (
            <Alert color="red" title={t.theMailToDidNot(invoice.customerEmail)}>
              {t.copyTheLinkBelowAnd}
            </Alert>
          )}
          <div className="beside">
            <Stack gap="lg">
              <InvoiceFacts of={invoice} />
              <InvoiceLines of={invoice} />
              <InvoicePayments of={invoice} />
              {invoice.metadata && (
                <Card title={t.metadata}>
                  <Json value={invoice.metadata} />
                </Card>
              )}
            </Stack>
            <Stack gap="lg">
              {!['Draft', 'Void'].includes(invoice.status) && (
                <Sharing
                  link={invoice.hostedUrl}
                  title={t.invoiceNumbered(invoice.invoiceNumber)}
                  text={t.whoeverHasItCanRead}
                />
              )}
              <Card title={t.whatHappened}>
                <Timeline steps={stepsOf(invoice, further)} />
              </Card>
              <InvoiceMails mails={further?.mails ?? []} />
            </Stack>
          </div>
        </>
      )}
    </DetailPage>
  )
}

function Actions({ of: invoice }: { of: Record }) {
  const { reference, status, customerEmail, amountDue, currency, invoiceNumber } = invoice
  const may = useMay()
  const go = useGo()
  const [isMarking, marking] = useDisclosure(false)
  const path = `payment-service/invoices/${reference}`
  const send = useAction({ path: `${path}/send`, done: t.sentTo(customerEmail) })
  const remind = useAction({ path: `${path}/remind`, done: t.reminded(customerEmail) })
  const cancel = useAction({ path: `${path}/void`, done: t.theInvoiceIsVoid })
  const isOpen = status === 'Sent' || status === 'PartiallyPaid'
  const writes = may('invoices:write')
  const save = () =>
    download(addressOf(`${path}/pdf`)).catch((error: Error) =>
      notifications.show({ message: error.message, color: 'red' }),
    )
  const ask = () =>
    confirm({
      title: t.askToVoid(invoiceNumber),
      text: t.cannotPayItAnyMore(customerEmail),
      verb: t.voidTheInvoice,
      isDangerous: true,
      go: () => cancel.mutate(),
    })
  const askToRemind = () =>
    confirm({
      title: t.askToRemind(invoiceNumber),
      text: t.aReminderGoesTo(customerEmail, money(amountDue, currency)),
      verb: t.sendReminder,
      go: () => remind.mutate(),
    })
  return (
    <>
      {writes && status === 'Draft' && (
        <Button
          leftSection={<IconSend size={16} />}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {t.send}
        </Button>
      )}
      {writes && isOpen && (
        <Button
          leftSection={<IconBell size={16} />}
          loading={remind.isPending}
          onClick={askToRemind}
        >
          {t.remind}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconFileTypePdf size={16} />}
        onClick={() => void save()}
      >
        {t.pdf}
      </Button>
      <MoreMenu
        choices={[
          {
            label: t.edit,
            icon: <IconPencil size={16} />,
            may: writes && (isOpen || status === 'Draft'),
            go: () => go(`invoices/${reference}/edit`),
          },
          {
            label: t.markAsPaid,
            icon: <IconCash size={16} />,
            may: writes && isOpen,
            go: marking.open,
          },
          {
            label: t.sendAgain,
            icon: <IconSend size={16} />,
            may: writes && isOpen,
            go: () => send.mutate(),
          },
          {
            label: t.voidIt,
            icon: <IconBan size={16} />,
            isDangerous: true,
            may: writes && (isOpen || status === 'Draft'),
            go: ask,
          },
        ]}
      />
      <MarkPaid
        path={`${path}/mark-paid`}
        due={amountDue}
        currency={currency}
        opened={isMarking}
        onClose={marking.close}
      />
    </>
  )
}

function stepsOf(invoice: Record, further: Further | undefined): Step[] {
  const { customerEmail, currency } = invoice
  const reminders = further?.mails.filter(({ kind }) => kind === 'invoice_reminder') ?? []
  return [
    { title: t.created, at: invoice.createdAt },
    { title: t.sent, at: invoice.sentAt, text: `to ${customerEmail}` },
    { title: t.openedByTheCustomer, at: invoice.viewedAt },
    ...reminders.map(({ createdAt, to, status }) => ({
      title: status === 'Dropped' ? t.reminderNotNeeded : t.reminderSent,
      at: createdAt,
      text: `to ${to}`,
    })),
    ...(further?.overdueAt ?? []).map((at) => ({ title: t.becameOverdue, at })),
    ...invoice.payments.map(({ paidAt, amount, channel, kind }) => ({
      title: kind === 'overpayment' ? t.overpaid : t.payment,
      at: paidAt,
      text: `${money(amount, currency)}, ${channelName(channel)}`,
    })),
    { title: t.paidInFull, at: invoice.paidAt },
    { title: t.madeVoid, at: invoice.voidedAt },
  ]
}
