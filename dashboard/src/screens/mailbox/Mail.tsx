import { Alert, Anchor, SegmentedControl, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/mailbox.ts'
import { kindOf, type MailRecord } from './types.ts'

/** A mail with its letter as it was sent. */
export function Mail() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<MailRecord>>(`/console/mails/${id}`)
  const mail = read.data?.data
  return (
    <DetailPage
      back={{ to: 'mailbox', label: t.mailbox }}
      title={mail && (mail.subject ?? kindOf(mail.kind))}
      status={<Status of={mail?.status} />}
      read={read}
    >
      {mail && (
        <>
          {mail.error && <Alert color="red">{mail.error}</Alert>}
          <Card title={t.mail}>
            <Facts
              of={{
                [t.to]: mail.to,
                [t.from]: mail.from ?? undefined,
                [t.answersGoTo]: mail.replyTo ?? undefined,
                [t.about]: kindOf(mail.kind),
                [t.written]: <When at={mail.createdAt} />,
                [t.sent]: mail.sentAt ? <When at={mail.sentAt} /> : undefined,
                [t.attempts]: mail.attempts,
              }}
            />
          </Card>
          <Card title={t.letter}>
            {mail.text === null || mail.htmlUrl === null ? (
              <Text c="dimmed">
                {mail.status === 'Dropped' ? t.itWasNoLongerNeeded : t.notKept}
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

/** As the customer saw it, or its text for programs that show no HTML. */
function Letter({ html, text }: { html: string; text: string }) {
  const [form, setForm] = useState('html')
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="xs"
        value={form}
        onChange={setForm}
        aria-label={t.letter}
        data={[
          { value: 'html', label: t.asHtml },
          { value: 'text', label: t.asText },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {form === 'html' ? (
        // It has no rights but to open its links elsewhere; its own policy says the same.
        <iframe
          title={t.letter}
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

/** The links of a text, to be pressed. */
function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s<>]+)/).map((part, i) =>
    i % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change its order
      <Anchor key={i} href={part} target="_blank" rel="noreferrer" underline="always">
        {part}
      </Anchor>
    ) : (
      part
    ),
  )
}
