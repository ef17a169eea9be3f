import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useOperation } from '../api/hooks.ts'
import { PageThumbnail, PHONE } from './PageThumbnail.tsx'

/** The unsaved page, which the server renders. */
interface PageDraft {
  title: string
  description?: string
  image?: string
  color?: string
  currency?: string
  amountType?: string
  amount?: string
  suggestedAmounts?: string[]
  productIds?: string[]
  customFields?: { label: string; type: string; required: boolean; options?: string[] }[]
  collectPhone?: boolean
  collectAddress?: boolean
  allowDiscountCodes?: boolean
}

const DEVICES = { phone: PHONE, desktop: { width: 1280, height: 900 } }
type Device = keyof typeof DEVICES

/**
 * Previews the page that payers see, at the width of a phone or a desktop. The server renders it
 * from the same templates.
 */
export const PagePreview = (props: { of: PageDraft; isSmall?: boolean }) => (
  <ServerPreview operation="preview_payment_page" {...props} />
)

export function ServerPreview({
  operation,
  of,
  isSmall = false,
}: {
  operation: 'preview_payment_page' | 'preview_invoice'
  of: object
  isSmall?: boolean
}) {
  const [device, choose] = useState<Device>('phone')
  const [settled] = useDebouncedValue(JSON.stringify(of), 250)
  const drawn = useOperation(operation, JSON.parse(settled), { keepsPrevious: true })
  const html = drawn.data?.data.html
  return (
    <aside aria-label="Preview">
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          What payers see
        </Text>
        {!isSmall && (
          <SegmentedControl
            size="xs"
            aria-label="Width of the preview"
            value={device}
            onChange={(value) => choose(value as Device)}
            data={[
              { value: 'phone', label: 'Phone' },
              { value: 'desktop', label: 'Desktop' },
            ]}
          />
        )}
      </Group>
      {html === undefined ? (
        drawn.error ? (
          <Text size="sm" c="dimmed">
            The preview is not available right now. Your changes have not been lost.
          </Text>
        ) : (
          <Skeleton height={420} />
        )
      ) : (
        <PageThumbnail html={html} title="The page as payers see it" size={DEVICES[device]} />
      )}
    </aside>
  )
}
