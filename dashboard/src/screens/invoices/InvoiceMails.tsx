import { Group, Text } from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/invoices.ts'
import { kindOf } from '../mailbox/types.ts'

/** What the record of an invoice does not say of what happened to it. */
export interface Further {
  mails: { id: number; kind: string; to: string; status: string; createdAt: string }[]
  overdueAt: string[]
}

/** Each mail that its customer was sent about it. */
export function InvoiceMails({ mails }: Pick<Further, 'mails'>) {
  if (mails.length === 0) return null
  return (
    <Card title={t.emails}>
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
