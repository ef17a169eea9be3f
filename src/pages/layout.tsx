import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { accentUrl } from './accent.ts'
import { assetUrls, previewStyles } from './assets.ts'
import { Icon } from './components.tsx'
import { dialUrl, mailUrl, safeUrl, siteOf } from './format.ts'
import { LANGUAGES, type Texts, textsOf } from './texts.ts'
import type { MerchantView, PageContext, ShareView } from './views.ts'

interface DocumentProps {
  ctx: PageContext
  t: Texts
  title: string
  test?: boolean
  /** The merchant's colour for buttons: `#0b7a4b`. */
  color?: string | undefined
  /** What chats show for a link to this page. */
  share?: ShareView | undefined
  styles?: readonly string[]
  /** The interval, in seconds, at which the page reloads without JavaScript. */
  reloadSeconds?: number
  /** Set for pages that only developers see. They have no language switch. */
  isEnglishOnly?: boolean
  /**
   * The id of a form in which the payer has typed something. Switching the language submits this
   * form, so that the input is kept.
   */
  typedInto?: string | undefined
  children: ComponentChildren
}

export const renderDocument = (props: DocumentProps) =>
  `<!doctype html>${renderToString(<Document {...props} />)}`

/** A preview never runs scripts or submits forms, regardless of where it is shown. */
const STILL = "script-src 'none'; form-action 'none'"

function Document(props: DocumentProps) {
  const { ctx, t, title, test, color, styles = [], reloadSeconds, children } = props
  const { preview } = ctx
  const accent = accentUrl(color, preview)
  const own = preview ? previewStyles[preview] : assetUrls.style
  return (
    <html lang={t.language}>
      <head>
        <meta charset="utf-8" />
        {preview && <meta http-equiv="Content-Security-Policy" content={STILL} />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={preview ?? 'light dark'} />
        <meta name="theme-color" content="#f6f3ec" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#13120f" media="(prefers-color-scheme: dark)" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no" />
        <title>{title}</title>
        {props.share && <Share {...props.share} />}
        <link rel="icon" type="image/svg+xml" href={assetUrls.icon} />
        {[own, ...(accent ? [accent] : []), ...styles].map((url) => (
          <link key={url} rel="stylesheet" href={url} />
        ))}
        {!preview && <script type="module" src={assetUrls.script} nonce={ctx.nonce} />}
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
        {/* Appears at the top, but is read out after the skip link. */}
        {!props.isEnglishOnly && !preview && (
          <Languages t={t} query={ctx.query} typedInto={props.typedInto} />
        )}
        {/* The script does not replace this: a live region must exist before it is used. */}
        <p id="announcer" class="unseen" role="status" />
      </body>
    </html>
  )
}

/** Renders Open Graph tags for chats and social networks, and the card for X. */
const Share = ({ url, title, description, image = neutralOf(url) }: ShareView) => (
  <>
    <meta name="description" content={description} />
    <meta property="og:type" content="website" />
    <meta property="og:url" content={url} />
    <meta property="og:title" content={title} />
    <meta property="og:description" content={description} />
    <meta property="og:image" content={image} />
    <meta name="twitter:card" content="summary_large_image" />
    <meta name="twitter:title" content={title} />
    <meta name="twitter:description" content={description} />
    <meta name="twitter:image" content={image} />
  </>
)

/** Returns the image for pages that don't have their own. */
const neutralOf = (url: string): string => new URL(assetUrls.share, url).href

const TestBanner = ({ t }: { t: Texts }) => (
  <aside class="test-banner" aria-label={t.test.mark}>
    <Icon name="flask" />
    <span>{t.test.banner}</span>
  </aside>
)

interface LanguagesProps {
  t: Texts
  query: string | undefined
  typedInto: string | undefined
}

/**
 * Lists the languages under their own names. The server stores the chosen one and renders the page
 * again.
 */
const Languages = ({ t, query, typedInto }: LanguagesProps) => (
  <nav class="languages" aria-label={t.chooseLanguage}>
    {LANGUAGES.map((language) => {
      const { name } = textsOf(language)
      const address = switchTo(language, query)
      const current = language === t.language && { 'aria-current': 'true' as const }
      return typedInto ? (
        <button
          key={language}
          form={typedInto}
          formaction={address}
          formnovalidate
          lang={language}
          {...current}
        >
          {name}
        </button>
      ) : (
        <a key={language} href={address} lang={language} hrefLang={language} {...current}>
          {name}
        </a>
      )
    })}
  </nav>
)

function switchTo(language: string, query: string | undefined): string {
  const fields = new URLSearchParams(query)
  fields.set('lang', language)
  return `?${fields}`
}

interface LetterheadProps {
  merchant: MerchantView
  about?: string | undefined
  /** The label of the skip link, which is the first link on the page. */
  skip: string
}

/** Shows the merchant and the page's subject, with a skip link for keyboard users. */
export const Letterhead = ({ merchant, about, skip }: LetterheadProps) => (
  <header class="letterhead">
    {merchant.logo ? (
      // There is no alternative text, because the name is next to the logo. The size is known, so
      // the layout doesn't shift when the logo loads.
      <img class="logo" src={merchant.logo.path} alt="" {...fitSize(merchant.logo, LOGO)} />
    ) : (
      <span class="initial" aria-hidden="true">
        {initialOf(merchant.name)}
      </span>
    )}
    <p>
      <strong>{merchant.name}</strong>
      {about && <span class="soft">{about}</span>}
    </p>
    <a class="skip" href="#pay">
      {skip}
    </a>
  </header>
)

/** The height matches the initial that is shown if there is no logo. */
const LOGO = { width: 132, height: 44 }

const initialOf = (name: string) => name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '•'

interface ContactProps {
  t: Texts
  merchant: MerchantView
}

export const Footer = (props: ContactProps) => (
  <footer class="fine">
    {contactsOf(props.merchant).length > 0 && <Contacts {...props} />}
    <p class="by">{props.t.poweredBy}</p>
  </footer>
)

export const Contacts = ({ t, merchant }: ContactProps) => (
  <p class="ask">
    <span>{t.questions(merchant.name)}</span>
    {contactsOf(merchant).map(({ text, address }) => (
      <a key={address} href={address} rel="noopener noreferrer">
        {text}
      </a>
    ))}
  </p>
)

export function contactsOf({ email, phone, website }: MerchantView) {
  const links = [
    { text: email, address: mailUrl(email) },
    { text: phone, address: dialUrl(phone) },
    { text: website && siteOf(website), address: safeUrl(website) },
  ]
  return links.flatMap(({ text, address }) => (address ? [{ text, address }] : []))
}

interface Size {
  width: number
  height: number
}

/** Scales an image to fit a box, up or down, in whole pixels. */
export function fitSize({ width, height }: Size, box: Size): Size {
  const scale = Math.min(box.width / width, box.height / height)
  const whole = (edge: number) => Math.max(1, Math.round(edge * scale))
  return { width: whole(width), height: whole(height) }
}
