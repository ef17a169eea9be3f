import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type Envelope, useReadBy } from '../api/hooks.ts'
import { t } from '../texts/parts.ts'
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
export const PagePreview = (props: { of: PageDraft; isSmall?: boolean }) => (
  <ServerPreview path="/console/page-preview" {...props} />
)

/** The same of any page that the server draws. */
export function ServerPreview({
  path,
  of,
  isSmall = false,
}: {
  path: string
  of: object
  isSmall?: boolean
}) {
  const [device, choose] = useState<Device>('phone')
  const [settled] = useDebouncedValue(JSON.stringify(of), 250)
  const drawn = useReadBy<Envelope<{ html: string }>>(path, JSON.parse(settled))
  const html = drawn.data?.data.html
  return (
    <aside aria-label={t.preview}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          {t.whatPayersSee}
        </Text>
        {!isSmall && (
          <SegmentedControl
            size="xs"
            aria-label={t.widthOfThePreview}
            value={device}
            onChange={(value) => choose(value as Device)}
            data={[
              { value: 'phone', label: t.phone },
              { value: 'desktop', label: t.desktop },
            ]}
          />
        )}
      </Group>
      {html === undefined ? (
        drawn.error ? (
          <Text size="sm" c="dimmed">
            {t.itCannotBeDrawnNow}
          </Text>
        ) : (
          <Skeleton height={420} />
        )
      ) : (
        <Drawing html={html} title={t.thePageAsPayersSee} size={DEVICES[device]} />
      )}
    </aside>
  )
}
