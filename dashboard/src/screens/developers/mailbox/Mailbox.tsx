import { Alert, Anchor, SegmentedControl, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { Status, Truncated } from '../../../ui/values.tsx'

/**
 * Lists the emails that the business has sent. Without a mail server, they can only be read here.
 */
export function Mailbox() {
  const may = usePermission()
  return (
    <ListPage
      title="Mailbox"
      operation="list_mails"
      cut="cursor"
      columns={[
        {
          label: 'Subject',
          cell: ({ subject, kind }) => <Truncated text={subject ?? kindOf(kind)} isLong />,
        },
        { label: 'To', cell: ({ to }) => <Truncated text={to} />, onPhone: 'below' },
        STATUS,
        WHEN,
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `mailbox/${id}`}
      empty={{
        title: 'No emails yet',
        text: 'Every invoice, reminder and receipt that we email to a customer appears here.',
        ...(may('invoices:write') && {
          action: <ScreenLink to="invoices/new">Send an invoice</ScreenLink>,
        }),
      }}
    />
  )
}

export function Mail() {
  const { id } = useParams({ from: '/$mode/mailbox/$id' })
  const read = useOperation('get_mail', { id: Number(id) })
  const mail = read.data?.data
  return (
    <DetailPage
      back={{ to: 'mailbox', label: 'Mailbox' }}
      title={mail && (mail.subject ?? kindOf(mail.kind))}
      status={<Status of={mail?.status} />}
      read={read}
    >
      {mail && (
        <>
          {mail.error && <Alert color="red">{mail.error}</Alert>}
          <Card title="Email">
            <Facts>
              <Fact label="To" value={mail.to} />
              <Fact label="From" value={mail.from ?? undefined} />
              <Fact label="Reply to" value={mail.replyTo ?? undefined} />
              <Fact label="Kind" value={kindOf(mail.kind)} />
              <Fact label="Created" at={mail.createdAt} />
              <Fact label="Sent" at={mail.sentAt} />
              <Fact label="Attempts" value={mail.attempts} />
            </Facts>
          </Card>
          <Card title="Message">
            {mail.text === null || mail.htmlUrl === null ? (
              <Text c="dimmed">
                {mail.status === 'Dropped'
                  ? 'This email was not sent because it was no longer needed.'
                  : 'The content of this email is no longer stored.'}
              </Text>
            ) : (
              <Letter html={mail.htmlUrl} text={mail.text} />
            )}
          </Card>
        </>
      )}
    </DetailPage>
  )
}

function Letter({ html, text }: { html: string; text: string }) {
  const [form, setForm] = useState('html')
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="xs"
        value={form}
        onChange={setForm}
        aria-label="Message"
        data={[
          { value: 'html', label: 'Email' },
          { value: 'text', label: 'Plain text' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {form === 'html' ? (
        // Like the message's own policy, the sandbox allows only links, and opens them in a new
        // window.
        <iframe
          title="Message"
          src={html}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          className="letter-frame"
        />
      ) : (
        <Text component="pre" className="letter">
          <Linked text={text} />
        </Text>
      )}
    </Stack>
  )
}

function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s<>]+)/).map((part, i) =>
    i % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change order
      <Anchor key={i} href={part} target="_blank" rel="noreferrer" underline="always">
        {part}
      </Anchor>
    ) : (
      part
    ),
  )
}

const KINDS: Record<string, string> = {
  invoice: 'Invoice',
  invoice_again: 'Resent invoice',
  invoice_reminder: 'Reminder',
  receipt: 'Receipt',
  order_receipt: 'Order receipt',
  refund: 'Refund',
  owner_notice: 'API key notice',
  webhook_disabled: 'Webhook notice',
  person_news: 'Team notification',
}

export const kindOf = (kind: string): string => KINDS[kind] ?? kind
