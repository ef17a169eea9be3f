import { Stack, Text } from '@mantine/core'
import type { ListedRequestRecord } from '../../../../sdk/src/operations.ts'
import { ApiReference } from '../../parts/ApiReference.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Name, When, words } from '../../parts/values.tsx'
import { Answer } from '../webhooks/Answer.tsx'
import { ms } from './units.ts'

const STATUSES = [
  { value: '2xx', label: '2xx, done' },
  { value: '4xx', label: '4xx, refused' },
  { value: '5xx', label: '5xx, broken' },
  ...['400', '403', '404', '409', '429', '503'],
]

/** The calls of the API in the last 30 days, with what they were answered. */
export function Requests() {
  return (
    <ListPage<ListedRequestRecord>
      title="Request log"
      actions={<ApiReference />}
      path="user-service/requests"
      cut="cursor"
      search="search"
      filters={[
        { kind: 'choice', name: 'status', label: 'Status', options: STATUSES },
        { kind: 'choice', name: 'method', label: 'Method', options: ['GET', 'POST', 'PUT'] },
        { kind: 'text', name: 'operation', label: 'Operation', placeholder: 'create_invoice' },
        { kind: 'text', name: 'idempotencyKey', label: 'Idempotency key' },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        { label: 'Call', cell: (request) => <Call of={request} /> },
        { label: 'Status', cell: ({ status }) => <Answer status={status} />, onPhone: true },
        { label: 'Error', cell: ({ errorCode }) => errorCode ?? '–' },
        {
          label: 'Took',
          cell: ({ durationMs }) => <span className="whole">{ms(durationMs)}</span>,
          align: 'right',
        },
        { label: 'When', cell: ({ at }) => <When at={at} />, onPhone: true, align: 'right' },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ requestId }) => `requests/${requestId}`}
      empty={{
        title: 'No calls yet',
        text: 'Each call of your API keys appears here with what was sent and what was answered, secrets left out. Make one with a test key to see it.',
      }}
    />
  )
}

function Call({ of: { method, operation, url } }: { of: ListedRequestRecord }) {
  return (
    <Stack gap={0}>
      <span>{words(operation)}</span>
      <Text span size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {method} <Name of={pathOf(url)} />
      </Text>
    </Stack>
  )
}

/** Without the query, which is on the screen of the call. */
const pathOf = (url: string): string => url.split('?')[0] ?? url
