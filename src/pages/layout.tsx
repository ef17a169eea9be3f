import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { assetUrls } from './assets.ts'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { PageContext } from './views.ts'

interface DocumentProps {
  ctx: PageContext
  t: Texts
  title: string
  test?: boolean
  /** Further style sheets. */
  styles?: readonly string[]
  /** Reload every so many seconds where no script runs. */
  reloadSeconds?: number
  children: ComponentChildren
}

/** A whole page as text, doctype included. */
export const renderDocument = (props: DocumentProps) =>
  `<!doctype html>${renderToString(<Document {...props} />)}`

/** The frame of every page: head, woven edge, test banner, and the one live region. */
function Document({ ctx, t, title, test, styles = [], reloadSeconds, children }: DocumentProps) {
  return (
    <html lang={t.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#f6f3ec" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#13120f" media="(prefers-color-scheme: dark)" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrls.icon} />
        {[assetUrls.style, ...styles].map((url) => (
          <link key={url} rel="stylesheet" href={url} />
        ))}
        <script type="module" src={assetUrls.script} nonce={ctx.nonce} />
        {reloadSeconds && (
          <noscript>
            <meta http-equiv="refresh" content={String(reloadSeconds)} />
          </noscript>
        )}
      </head>
      <body>
        <div class="weave" aria-hidden="true" />
        {test && <TestBanner t={t} />}
        {children}
        {/* Outside of what the script replaces: a live region speaks only when it was there before. */}
        <p id="announcer" class="unseen" role="status" />
      </body>
    </html>
  )
}

const TestBanner = ({ t }: { t: Texts }) => (
  <aside class="test-banner" aria-label={t.test.mark}>
    <Icon name="flask" />
    <span>{t.test.banner}</span>
  </aside>
)
