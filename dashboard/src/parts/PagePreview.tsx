import { Box, Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue, useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { type Envelope, useReadBy } from '../api/hooks.ts'
import '../theme/sell.css'

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

const DEVICES = { phone: { width: 390, height: 760 }, desktop: { width: 1280, height: 900 } }
/** Larger than it is only to fill its place. */
const SCALE_MAX = 1.1
type Device = keyof typeof DEVICES

/**
 * The page that payers will get, drawn by the server with the same templates, as wide as a phone
 * or a desktop. It is a picture of the page: nothing runs in it, and nothing can be pressed.
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
        <Sheet html={html} device={device} />
      )}
    </aside>
  )
}

/** The old drawing stays until the new one is there, so that nothing flickers. */
function Sheet({ html, device }: { html: string; device: Device }) {
  const { ref, width: room } = useElementSize()
  const [seen, setSeen] = useState({ html: '', height: DEVICES.phone.height })
  const { width, height } = DEVICES[device]
  const scale = Math.min(SCALE_MAX, room / width)
  const drawings = seen.html === html || seen.html === '' ? [html] : [seen.html, html]
  return (
    <Box
      className="drawing"
      ref={ref}
      role="group"
      aria-label="The page, to be scrolled"
      // It scrolls, also for whoever has only keys.
      tabIndex={0}
      style={{ height: Math.min(height, seen.height) * scale }}
    >
      <div style={{ height: seen.height * scale }}>
        {drawings.map((one) => (
          <iframe
            key={one}
            title={one === html ? 'The page as payers see it' : 'As it was before'}
            // Its own origin, for its styles and pictures; without scripts, forms and windows.
            sandbox="allow-same-origin"
            srcDoc={one}
            inert
            style={{
              width,
              height: seen.height,
              transform: `scale(${scale})`,
              opacity: one === html && drawings.length > 1 ? 0 : 1,
            }}
            onLoad={({ currentTarget }) => {
              if (one !== html) return
              const { documentElement } = currentTarget.contentDocument ?? {}
              setSeen({ html, height: Math.max(320, documentElement?.scrollHeight ?? height) })
            }}
          />
        ))}
      </div>
    </Box>
  )
}
