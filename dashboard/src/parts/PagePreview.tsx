import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type Envelope, useReadBy } from '../api/hooks.ts'
import { Drawing, PHONE } from './Drawing.tsx'

/** What is written of a page so far, as the server draws it. */
export interface PageDraft {
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
 * The page that payers will get, drawn by the server with the same templates, as wide as a phone
 * or a desktop.
 */
export function PagePreview({ of, isSmall = false }: { of: PageDraft; isSmall?: boolean }) {
  const [device, choose] = useState<Device>('phone')
  const [settled] = useDebouncedValue(JSON.stringify(of), 250)
  const drawn = useReadBy<Envelope<{ html: string }>>('/console/page-preview', JSON.parse(settled))
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
            It cannot be drawn now. What you type is kept.
          </Text>
        ) : (
          <Skeleton height={420} />
        )
      ) : (
        <Drawing html={html} title="The page as payers see it" size={DEVICES[device]} />
      )}
    </aside>
  )
}
