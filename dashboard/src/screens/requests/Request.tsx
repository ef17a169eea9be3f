import { Alert, Button, CopyButton, Stack, Text } from '@mantine/core'
import { IconCheck, IconTerminal2 } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { RequestRecord } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Copyable, Json, When, words } from '../../parts/values.tsx'
import { t } from '../../texts/requests.ts'
import { Answer } from '../webhooks/Answer.tsx'
import { curlOf } from './curl.ts'
import { bytes, ms } from './units.ts'

/** One call, as it was understood, and what it was answered. */
export function Request() {
  const { requestId } = useParams({ strict: false }) as { requestId: string }
  const read = useRead<Envelope<RequestRecord>>(`user-service/requests/${requestId}`)
  const request = read.data?.data
  return (
    <DetailPage
      back={{ to: 'requests', label: t.requestLog }}
      title={request && words(request.operation)}
      status={request && <Answer status={request.status} />}
      read={read}
      actions={request && <CopyAsCurl of={request} />}
    >
      {request && (
        <Stack gap="lg">
          <Notes of={request} />
          <CallFacts of={request} />
          <Card title={t.whatWasSent}>
            <Body text={request.requestBody} none={noneSent(request)} />
          </Card>
          <Card title={t.whatWasAnswered}>
            <Body text={request.responseBody} none={noneAnswered(request)} />
          </Card>
        </Stack>
      )}
    </DetailPage>
  )
}

function CallFacts({ of: request }: { of: RequestRecord }) {
  const { requestBytes, responseBytes } = request
  return (
    <Card title={t.call}>
      <Facts
        of={{
          [t.method]: request.method,
          [t.address]: <Copyable text={request.url} />,
          [t.operation]: <Copyable text={request.operation} />,
          [t.requestId]: <Copyable text={request.requestId} />,
          [t.errorCode]: request.errorCode ?? undefined,
          [t.answeredAt]: <When at={request.at} />,
          [t.itTook]: ms(request.durationMs),
          [t.by]: <By of={request} />,
          [t.fromAddress]: request.ip,
          [t.program]: request.userAgent ?? undefined,
          [t.idempotencyKey]: request.idempotencyKey ? (
            <Copyable text={request.idempotencyKey} />
          ) : undefined,
          [t.sent]: requestBytes === null ? undefined : bytes(requestBytes),
          [t.answered]: responseBytes === null ? undefined : bytes(responseBytes),
        }}
      />
    </Card>
  )
}

function By({ of: { keyReference, partner } }: { of: RequestRecord }) {
  if (partner) return <>{t.partner(partner)}</>
  if (!keyReference) return t.aPersonAtTheDashboard
  return (
    <>
      {t.key} <ScreenLink to="keys">{keyReference}</ScreenLink>
    </>
  )
}

function Notes({ of: { replayed, truncated } }: { of: RequestRecord }) {
  return (
    <>
      {replayed && (
        <Alert color="gray" title={t.aRepeat}>
          {t.itsIdempotencyKeyWasHad}
        </Alert>
      )}
      {truncated && (
        <Alert color="gray" title={t.notAllOfItIs}>
          {t.theLogKeepsTheFirst}
        </Alert>
      )}
    </>
  )
}

function Body({ text, none }: { text: string | null; none: string }) {
  if (text === null) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )
  }
  return <Json value={pretty(text)} />
}

const noneSent = ({ bodiesDropped, method }: RequestRecord): string =>
  bodiesDropped
    ? t.tooMuchWentOnAt
    : method === 'GET'
      ? t.aReadSendsNoBody
      : t.nothingOrNothingThatWas

const noneAnswered = ({ bodiesDropped, status }: RequestRecord): string =>
  bodiesDropped ? t.tooMuchWentOnAt : status < 400 ? t.ofReadsThatSucceedThe : t.nothingThatWasJson

function CopyAsCurl({ of: request }: { of: RequestRecord }) {
  return (
    <CopyButton value={curlOf(request, location.origin)}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
          onClick={copy}
        >
          {copied ? t.copiedWithoutTheKey : t.copyAsCurl}
        </Button>
      )}
    </CopyButton>
  )
}

/** What was cut is shown as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
