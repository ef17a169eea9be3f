import { Alert, Group, Stack, Text, TextInput } from '@mantine/core'
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
import type { Invoice as InvoiceRecord } from '../../../../../sdk/src/operations.ts'
import { download } from '../../../api/download.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { Card, DetailPage, type Step, Timeline } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { Sharing } from '../../../ui/Sharing.tsx'
import { channelName, Json, money, Status, When } from '../../../ui/values.tsx'
import { kindOf } from '../../developers/mailbox/Mailbox.tsx'
import { InvoiceFacts, InvoiceLines, InvoicePayments, States } from './InvoiceParts.tsx'

export function Invoice() {
  const { reference } = useParams({ from: '/$mode/invoices/$reference' })
  const read = useOperation('get_invoice', { reference })
  const invoice = read.data?.data
  const further = useOperation('get_invoice_timeline', { reference }).data?.data
  return (
    <DetailPage
      back={{ to: 'invoices', label: 'Invoices' }}
      title={invoice && `Invoice ${invoice.invoiceNumber}`}
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
            <Alert color="red" title={`The email to ${invoice.customerEmail} was not delivered`}>
              Copy the link below and share it another way, or send the invoice again.
            </Alert>
          )}
          <div className="beside">
            <Stack gap="lg">
              <InvoiceFacts of={invoice} />
              <InvoiceLines of={invoice} />
              <InvoicePayments of={invoice} />
              {invoice.metadata && (
                <Card title="Metadata">
                  <Json value={invoice.metadata} />
                </Card>
              )}
            </Stack>
            <Stack gap="lg">
              {!['Draft', 'Void'].includes(invoice.status) && (
                <Sharing
                  link={invoice.hostedUrl}
                  title={`Invoice ${invoice.invoiceNumber}`}
                  text="Anyone with this link can view and pay this invoice."
                />
              )}
              <Card title="Timeline">
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

function Actions({ of: invoice }: { of: InvoiceRecord }) {
  const { reference, status, customerEmail, amountDue, currency, invoiceNumber } = invoice
  const may = usePermission()
  const go = useGo()
  const [isMarking, marking] = useDisclosure(false)
  const send = useAction(
    act('send_invoice', { input: () => ({ reference }), done: `Sent to ${customerEmail}.` }),
  )
  const remind = useAction(
    act('remind_invoice', {
      input: () => ({ reference }),
      done: `Reminder sent to ${customerEmail}.`,
    }),
  )
  const cancel = useAction(
    act('void_invoice', { input: () => ({ reference }), done: 'Invoice voided.' }),
  )
  const isOpen = status === 'Sent' || status === 'PartiallyPaid'
  const writes = may('invoices:write')
  const save = () =>
    download(at('get_invoice_pdf', { reference }).path).catch((error: Error) =>
      notifications.show({ message: error.message, color: 'red' }),
    )
  const ask = () =>
    confirm({
      title: `Void ${invoiceNumber}?`,
      text: `${customerEmail} will no longer be able to pay this invoice.`,
      verb: 'Void invoice',
      isDangerous: true,
      go: () => cancel.mutate(),
    })
  const askToRemind = () =>
    confirm({
      title: `Send a reminder for ${invoiceNumber}?`,
      text: `We’ll email ${customerEmail} a reminder that ${money(amountDue, currency)} is due.`,
      verb: 'Send reminder',
      go: () => remind.mutate(),
    })
  return (
    <>
      {writes && status === 'Draft' && (
        <ActionButton
          icon={IconSend}
          label="Send invoice"
          isMain
          loading={send.isPending}
          onClick={() => send.mutate()}
        />
      )}
      {writes && isOpen && (
        <ActionButton
          icon={IconBell}
          label="Send reminder"
          isMain
          loading={remind.isPending}
          onClick={askToRemind}
        />
      )}
      <ActionButton icon={IconFileTypePdf} label="PDF" onClick={() => void save()} />
      <MoreMenu
        choices={[
          {
            label: 'Edit',
            icon: IconPencil,
            may: writes && (isOpen || status === 'Draft'),
            go: () => go(`invoices/${reference}/edit`),
          },
          { label: 'Mark as paid', icon: IconCash, may: writes && isOpen, go: marking.open },
          { label: 'Send again', icon: IconSend, may: writes && isOpen, go: () => send.mutate() },
          {
            label: 'Void',
            icon: IconBan,
            isDangerous: true,
            may: writes && (isOpen || status === 'Draft'),
            go: ask,
          },
        ]}
      />
      <MarkPaid
        reference={reference}
        due={amountDue}
        currency={currency}
        opened={isMarking}
        onClose={marking.close}
      />
    </>
  )
}

/** Titles by the state of the email. */
const REMINDERS: Record<string, string> = {
  Queued: 'Reminder queued',
  Sent: 'Reminder sent',
  Failed: 'Reminder not delivered',
  Captured: 'Reminder not sent (no mail server)',
  Dropped: 'Reminder not needed',
}

function stepsOf(invoice: InvoiceRecord, further: Further | undefined): Step[] {
  const { customerEmail, currency } = invoice
  const reminders = further?.mails.filter(({ kind }) => kind === 'invoice_reminder') ?? []
  return [
    { title: 'Created', at: invoice.createdAt },
    { title: 'Sent', at: invoice.sentAt, text: `to ${customerEmail}` },
    { title: 'Opened by the customer', at: invoice.viewedAt },
    ...reminders.map(({ createdAt, to, status }) => ({
      title: REMINDERS[status] ?? 'Reminder',
      at: createdAt,
      text: `to ${to}`,
    })),
    ...(further?.overdueAt ?? []).map((at) => ({ title: 'Became overdue', at })),
    ...invoice.payments.map(({ paidAt, amount, channel, kind }) => ({
      title: kind === 'overpayment' ? 'Overpaid' : 'Payment',
      at: paidAt,
      text: `${money(amount, currency)}, ${channelName(channel)}`,
    })),
    { title: 'Paid in full', at: invoice.paidAt },
    { title: 'Voided', at: invoice.voidedAt },
  ]
}

/** What the timeline shows in addition to the invoice's record. */
interface Further {
  mails: { id: number; kind: string; to: string; status: string; createdAt: string }[]
  overdueAt: string[]
}

function InvoiceMails({ mails }: Pick<Further, 'mails'>) {
  if (mails.length === 0) return null
  return (
    <Card title="Emails">
      {mails.map(({ id, kind, status, createdAt }) => (
        <Group key={id} justify="space-between" gap="xs" py={6} wrap="nowrap">
          <div>
            <ScreenLink to={`mailbox/${id}`}>{kindOf(kind)}</ScreenLink>
            <Text size="sm" c="dimmed">
              <When at={createdAt} />
            </Text>
          </div>
          <Status of={status} />
        </Group>
      ))}
    </Card>
  )
}

interface Values extends Record<string, unknown> {
  amount: number | string
  paidAt: string
  note: string
}

/** Records money that the customer paid in cash or to another account. */
function MarkPaid({
  reference,
  due,
  currency,
  ...dialog
}: DialogProps & { reference: string; due: number; currency: string }) {
  return (
    <FormModal<Values>
      title="Mark as paid"
      {...dialog}
      initial={{ amount: due, paidAt: '', note: '' }}
      action={act('mark_invoice_paid', {
        done: 'Payment recorded.',
        input: ({ amount, paidAt, note }: Values) => ({
          reference,
          amount,
          ...(paidAt && { paidAt }),
          ...(note && { note }),
        }),
      })}
      validate={{
        amount: (amount) =>
          Number(amount) > 0 && Number(amount) <= due
            ? null
            : `Must be more than zero and at most ${money(due, currency)}.`,
      }}
      verb={({ amount }) => `Mark ${money(Number(amount) || 0, currency)} as paid`}
    >
      {(form) => (
        <>
          <Text size="sm">
            For money you received outside Tradepost. Your wallet balance stays the same, and the
            customer gets a receipt.
          </Text>
          <MoneyInput
            label="Amount"
            description={`${money(due, currency)} is due`}
            currency={currency}
            required
            data-autofocus
            {...form.field('amount')}
          />
          <DayInput
            label="Paid on"
            description="Leave blank to use today’s date."
            {...form.field('paidAt')}
          />
          <TextInput label="Note" maxLength={200} {...form.field('note')} />
        </>
      )}
    </FormModal>
  )
}
