import { Box } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import '../theme/sell.css'

/** The size of the visible part of the page, in CSS pixels. */
interface Size {
  width: number
  height: number
}
export const PHONE: Size = { width: 390, height: 760 }

/** How much a page can be enlarged to fill the available space. */
const SCALE_MAX = 1.1

/**
 * Shows a payer page that the server has rendered, scaled to fit the available space. The page is
 * inert: its scripts don't run, and nothing can be clicked. The previous page stays until the next
 * one is ready, to avoid flickering while the user types.
 */
export function PageThumbnail({ html, title, size }: { html: string; title: string; size: Size }) {
  const { ref, width: room } = useElementSize()
  const [seen, setSeen] = useState({ html: '', height: size.height })
  const { width, height } = size
  const scale = Math.min(SCALE_MAX, room / width)
  const drawings = seen.html === html || seen.html === '' ? [html] : [seen.html, html]
  return (
    <Box
      className="drawing"
      ref={ref}
      role="group"
      aria-label="Page preview, scrollable"
      // Must be focusable, so that keyboard users can scroll the page.
      tabIndex={0}
      style={{ height: Math.min(height, seen.height) * scale }}
    >
      <div style={{ height: seen.height * scale }}>
        {drawings.map((one) => (
          <iframe
            key={one}
            title={one === html ? title : 'Restored'}
            // Styles and images only load from the same origin. Scripts, forms and pop-ups are
            // disabled.
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
