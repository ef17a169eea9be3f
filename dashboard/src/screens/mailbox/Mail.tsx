import { Alert, Anchor, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/mailbox.ts'
import { kindOf, type MailRecord } from './types.ts'

/** A mail, as text: its letter is made from what it is about as that is now. */
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
            {mail.text === null ? (
              <Text c="dimmed">{t.itWasNoLongerNeeded}</Text>
            ) : (
              <Text component="pre" className="letter">
                <Linked text={mail.text} />
              </Text>
            )}
          </Card>
        </>
      )}
    </DetailPage>
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
