import { Text } from '@mantine/core'
import type { ListedRequestRecord } from '../../../../sdk/src/operations.ts'
import { ApiReference } from '../../parts/ApiReference.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, When, words } from '../../parts/values.tsx'
import { t } from '../../texts/requests.ts'
import { Answer } from '../webhooks/Answer.tsx'
import { ms } from './units.ts'

const STATUSES = [
  { value: '2xx', label: t.done },
  { value: '4xx', label: t.refused },
  { value: '5xx', label: t.broken },
  ...['400', '403', '404', '409', '429', '503'],
]

/** The calls of the API in the last 30 days, with what they were answered. */
export function Requests() {
  return (
    <ListPage<ListedRequestRecord>
      title={t.requestLog}
      actions={<ApiReference />}
      path="user-service/requests"
      cut="cursor"
      search="search"
      filters={[
        { kind: 'choice', name: 'status', label: t.status, options: STATUSES },
        { kind: 'choice', name: 'method', label: t.method, options: ['GET', 'POST', 'PUT'] },
        { kind: 'text', name: 'operation', label: t.operation, placeholder: 'create_invoice' },
        { kind: 'text', name: 'idempotencyKey', label: t.idempotencyKey },
        { kind: 'day', name: 'startDate', label: t.from },
        { kind: 'day', name: 'endDate', label: t.to },
      ]}
      columns={[
        { label: t.call, cell: (request) => <Call of={request} /> },
        { label: t.status, cell: ({ status }) => <Answer status={status} />, onPhone: true },
        {
          label: t.error,
          cell: ({ errorCode }) => (errorCode ? <Clip text={errorCode} /> : '–'),
          isWide: true,
        },
        {
          label: t.took,
          cell: ({ durationMs }) => <span className="whole">{ms(durationMs)}</span>,
          align: 'right',
        },
        {
          label: t.when,
          cell: ({ at }) => <When at={at} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ requestId }) => `requests/${requestId}`}
      empty={{
        title: t.noCallsYet,
        text: t.eachCallOfYourApi,
      }}
    />
  )
}

function Call({ of: { method, operation, url } }: { of: ListedRequestRecord }) {
  return (
    <span className="clip clip-long" title={`${method} ${pathOf(url)}`}>
      {words(operation)}{' '}
      <Text span size="xs" c="dimmed">
        {method} {pathOf(url)}
      </Text>
    </span>
  )
}

/** Without the query, which is on the screen of the call. */
const pathOf = (url: string): string => url.split('?')[0] ?? url
