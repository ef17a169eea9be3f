import { Box } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import '../theme/sell.css'

/** In CSS pixels: what is seen at once of a page that is drawn. */
interface Size {
  width: number
  height: number
}
export const PHONE: Size = { width: 390, height: 760 }

/** Larger than it is only to fill its place. */
const SCALE_MAX = 1.1

/**
 * A payers' page as the server drew it, as wide as its place. It is a picture of the page: nothing
 * runs in it, and nothing can be pressed. The old drawing stays until the new one is there, so that
 * nothing flickers while somebody types.
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
      aria-label="The page, to be scrolled"
      // It scrolls, also for whoever has only keys.
      tabIndex={0}
      style={{ height: Math.min(height, seen.height) * scale }}
    >
      <div style={{ height: seen.height * scale }}>
        {drawings.map((one) => (
          <iframe
            key={one}
            title={one === html ? title : 'Restored'}
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
