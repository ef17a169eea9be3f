import { Alert, CopyButton, Stack, Text } from '@mantine/core'
import { IconCheck, IconTerminal2 } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { ListedRequestRecord, RequestRecord } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { ApiReference } from '../../../ui/ApiReference.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { formatState, Json, Truncated, When } from '../../../ui/values.tsx'
import { ResponseStatus } from '../webhooks/Delivery.tsx'

const STATUSES = [
  { value: '2xx', label: '2xx, succeeded' },
  { value: '4xx', label: '4xx, refused' },
  { value: '5xx', label: '5xx, failed' },
  ...['400', '403', '404', '409', '429', '503'],
]

/** Requests are kept for 30 days. */
export function Requests() {
  return (
    <ListPage
      title="Request log"
      actions={<ApiReference />}
      operation="list_requests"
      cut="cursor"
      search="search"
      filters={[
        choice('status', 'Status', STATUSES),
        choice('method', 'Method', ['GET', 'POST', 'PUT']),
        { kind: 'text', name: 'operation', label: 'Operation', placeholder: 'create_invoice' },
        { kind: 'text', name: 'idempotencyKey', label: 'Idempotency key' },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        { label: 'Request', cell: (request) => <Call of={request} /> },
        {
          label: 'Status',
          cell: ({ status }) => <ResponseStatus status={status} />,
          onPhone: true,
        },
        {
          label: 'Error',
          cell: ({ errorCode }) => (errorCode ? <Truncated text={errorCode} /> : '–'),
          isWide: true,
        },
        {
          label: 'Duration',
          cell: ({ durationMs }) => <span className="whole">{ms(durationMs)}</span>,
          align: 'right',
        },
        {
          label: 'Date',
          cell: ({ at }) => <When at={at} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ requestId }) => `requests/${requestId}`}
      empty={{
        title: 'No requests yet',
        text: 'Every request made with your API keys appears here, with its body and response but without secrets. Send a request with a test key to see one.',
      }}
    />
  )
}

function Call({ of: { method, operation, url } }: { of: ListedRequestRecord }) {
  return (
    <span className="clip clip-long" title={`${method} ${pathOf(url)}`}>
      {formatState(operation)}{' '}
      <Text span size="xs" c="dimmed">
        {method} {pathOf(url)}
      </Text>
    </span>
  )
}

/** Omits the query string, which the request's own screen shows. */
const pathOf = (url: string): string => url.split('?')[0] ?? url

export function Request() {
  const { requestId } = useParams({ from: '/$mode/requests/$requestId' })
  const read = useOperation('get_request', { requestId })
  const request = read.data?.data
  return (
    <DetailPage
      back={{ to: 'requests', label: 'Request log' }}
      title={request && formatState(request.operation)}
      status={request && <ResponseStatus status={request.status} />}
      read={read}
      actions={request && <CopyAsCurl of={request} />}
    >
      {request && (
        <Stack gap="lg">
          <Notes of={request} />
          <CallFacts of={request} />
          <Card title="Request body">
            <Body text={request.requestBody} none={noneSent(request)} />
          </Card>
          <Card title="Response body">
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
    <Card title="Request">
      <Facts>
        <Fact label="Method" value={request.method} />
        <Fact label="URL" copy={request.url} />
        <Fact label="Operation" copy={request.operation} />
        <Fact label="Request ID" copy={request.requestId} />
        <Fact label="Error code" value={request.errorCode ?? undefined} />
        <Fact label="Date" value={<When at={request.at} />} />
        <Fact label="Duration" value={ms(request.durationMs)} />
        <Fact label="Sent by" value={<By of={request} />} />
        <Fact label="IP address" value={request.ip} />
        <Fact label="User agent" value={request.userAgent ?? undefined} />
        <Fact label="Idempotency key" copy={request.idempotencyKey} />
        <Fact
          label="Request size"
          value={requestBytes === null ? undefined : bytes(requestBytes)}
        />
        <Fact
          label="Response size"
          value={responseBytes === null ? undefined : bytes(responseBytes)}
        />
      </Facts>
    </Card>
  )
}

function By({ of: { keyReference, partner } }: { of: RequestRecord }) {
  if (partner) return <>Partner {partner}</>
  if (!keyReference) return 'A team member in the dashboard'
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
        <Alert color="gray" title="Repeated request">
          This Idempotency-Key was already used, so the original response was returned.
        </Alert>
      )}
      {truncated && (
        <Alert color="gray" title="Only part of this request was stored">
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
    ? 'Not stored because the server was too busy at the time.'
    : method === 'GET'
      ? 'This request has no body.'
      : 'The request had no body, or its body was not JSON.'

const noneAnswered = ({ bodiesDropped, status }: RequestRecord): string =>
  bodiesDropped
    ? 'Not stored because the server was too busy at the time.'
    : status < 400
      ? 'The log does not store responses to successful reads.'
      : 'The body was not JSON.'

function CopyAsCurl({ of: request }: { of: RequestRecord }) {
  return (
    <CopyButton value={curlOf(request, location.origin)}>
      {({ copied, copy }) => (
        <ActionButton
          icon={copied ? IconCheck : IconTerminal2}
          label={copied ? 'Copied, without the key' : 'Copy as curl'}
          onClick={copy}
        />
      )}
    </CopyButton>
  )
}

/** Indents a JSON body. Returns a truncated body unchanged. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Quotes a string for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Builds a command that sends the same request from a terminal. The command reads the key from
 * TRADEPOST_KEY, and has no Idempotency-Key, which would only return the original response.
 */
function curlOf(
  { method, url, requestBody }: Pick<RequestRecord, 'method' | 'url' | 'requestBody'>,
  origin: string,
): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + url)}`,
    `-H "Authorization: Bearer $TRADEPOST_KEY"`,
    ...(requestBody === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(requestBody)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** `12 ms`, `1.3 s` */
const ms = (duration: number): string =>
  duration < 1_000 ? `${Math.round(duration)} ms` : `${(duration / 1_000).toFixed(1)} s`

/** `512 bytes`, `1.2 KiB` */
const bytes = (count: number): string =>
  count < 1_024 ? `${count} bytes` : `${(count / 1_024).toFixed(1)} KiB`
