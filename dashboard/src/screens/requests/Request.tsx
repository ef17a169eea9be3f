import { Alert, Button, CopyButton, Stack, Text } from '@mantine/core'
import { IconCheck, IconTerminal2 } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { RequestRecord } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Copyable, Json, When, words } from '../../parts/values.tsx'
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
      back={{ to: 'requests', label: 'Request log' }}
      title={request && words(request.operation)}
      status={request && <Answer status={request.status} />}
      read={read}
      actions={request && <CopyAsCurl of={request} />}
    >
      {request && (
        <Stack gap="lg">
          <Notes of={request} />
          <CallFacts of={request} />
          <Card title="What was sent">
            <Body text={request.requestBody} none={noneSent(request)} />
          </Card>
          <Card title="What was answered">
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
    <Card title="Call">
      <Facts
        of={{
          Method: request.method,
          Address: <Copyable text={request.url} />,
          Operation: <Copyable text={request.operation} />,
          'Request id': <Copyable text={request.requestId} />,
          'Error code': request.errorCode ?? undefined,
          'Answered at': <When at={request.at} />,
          'It took': ms(request.durationMs),
          By: <By of={request} />,
          'From address': request.ip,
          Program: request.userAgent ?? undefined,
          'Idempotency key': request.idempotencyKey ? (
            <Copyable text={request.idempotencyKey} />
          ) : undefined,
          Sent: requestBytes === null ? undefined : bytes(requestBytes),
          Answered: responseBytes === null ? undefined : bytes(responseBytes),
        }}
      />
    </Card>
  )
}

function By({ of: { keyReference, partner } }: { of: RequestRecord }) {
  if (partner) return <>Partner {partner}</>
  if (!keyReference) return 'A person at the dashboard'
  return (
    <>
      Key <ScreenLink to="keys">{keyReference}</ScreenLink>
    </>
  )
}

function Notes({ of: { replayed, truncated } }: { of: RequestRecord }) {
  return (
    <>
      {replayed && (
        <Alert color="gray" title="A repeat">
          Its Idempotency-Key was had before, so it got the answer of that call and did nothing.
        </Alert>
      )}
      {truncated && (
        <Alert color="gray" title="Not all of it is here">
          The log keeps the first 4 KiB of each body.
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
    ? 'Too much went on at that moment for bodies to be kept.'
    : method === 'GET'
      ? 'A read sends no body.'
      : 'Nothing, or nothing that was JSON.'

const noneAnswered = ({ bodiesDropped, status }: RequestRecord): string =>
  bodiesDropped
    ? 'Too much went on at that moment for bodies to be kept.'
    : status < 400
      ? 'Of reads that succeed the log keeps no answer.'
      : 'Nothing that was JSON.'

function CopyAsCurl({ of: request }: { of: RequestRecord }) {
  return (
    <CopyButton value={curlOf(request, location.origin)}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
          onClick={copy}
        >
          {copied ? 'Copied, without the key' : 'Copy as curl'}
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
