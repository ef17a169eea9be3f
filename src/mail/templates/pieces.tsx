import { type ComponentChild, type ComponentChildren, h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { accentInks } from '../../pages/accent.ts'
import { fitSize } from '../../pages/layout.tsx'
import { texts } from './texts.ts'
import type { Sender } from './views.ts'

/**
 * Components for emails are tables with inline styles, because every mail client supports them.
 * Classes are used only for the colours on dark screens (see `renderShell`). If a client drops the
 * classes, the inline light colours remain readable.
 */
const FONT =
  "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif;"

const INK = 'color: #1e1b15;'
const SOFT = 'color: #5e584b;'
const BREAKS = 'word-break: break-word;'

/** Sizes in pixels, because some clients don't support any other unit. */
const type = (size: number, height: number) =>
  `${FONT} font-size: ${size}px; line-height: ${height}px;`

const css = (...rules: string[]) => rules.join(' ')

/** Mail clients must not translate names, numbers and addresses. */
const asIs = { translate: 'no' as unknown as boolean }

// Mail clients expect these attribute names; Preact's types spell them differently.
const bare = { border: '0', cellpadding: '0', cellspacing: '0' }

const Layout = ({ children, style = '' }: Styled) => (
  <table role="presentation" width="100%" {...bare} style={`border-collapse: separate; ${style}`}>
    <tbody>{children}</tbody>
  </table>
)

interface Styled {
  children: ComponentChildren
  style?: string
}

export const TestBanner = ({ text }: { text: string }) => (
  <Layout>
    <tr>
      <td
        class="test"
        align="center"
        style={css(
          'padding: 8px 16px; background-color: #e9e7fa; color: #43369b;',
          type(13, 20),
          'font-weight: 600;',
        )}
      >
        {text}
      </td>
    </tr>
  </Layout>
)

export const Letterhead = ({
  from,
  what,
}: {
  from: Pick<Sender, 'name' | 'logo'>
  what: string
}) => (
  <Layout>
    <tr>
      <td style="padding: 24px 16px 16px;">
        {from.logo && <Logo of={from.logo} />}
        <p
          class="ink"
          style={css('margin: 0;', type(16, 22), 'font-weight: 700;', INK, BREAKS)}
          {...asIs}
        >
          {from.name}
        </p>
        <p class="soft" style={css('margin: 0;', type(14, 20), SOFT)}>
          {what}
        </p>
      </td>
    </tr>
  </Layout>
)

/**
 * Shows the logo on white, because most logos are designed for a white background. If images are
 * off, the name below it identifies the merchant.
 */
const Logo = ({ of: { url, ...size } }: { of: NonNullable<Sender['logo']> }) => {
  const { width, height } = fitSize(size, { width: 150, height: 48 })
  const ground = 'background-color: #fffefb; padding: 4px; border-radius: 6px;'
  const style = css('display: block; margin: 0 0 12px; border: 0;', ground)
  return <img src={url} width={width} height={height} alt="" style={style} />
}

export const Card = ({ children }: { children: ComponentChildren }) => (
  <Layout style="border-spacing: 0;">
    <tr>
      <td
        class="card"
        style={css(
          'padding: 24px 20px; background-color: #fffefb;',
          'border: 1px solid #e2dbcc; border-radius: 16px;',
        )}
      >
        {children}
      </td>
    </tr>
  </Layout>
)

export const Paragraph = ({ children }: { children: ComponentChildren }) => (
  <p class="ink" style={css('margin: 0 0 16px;', type(16, 24), INK, BREAKS)}>
    {children}
  </p>
)

export const SmallPrint = ({ children }: { children: ComponentChildren }) => (
  <p class="soft" style={css('margin: 0 0 8px;', type(13, 20), SOFT, BREAKS)}>
    {children}
  </p>
)

export const Heading = ({ children }: { children: ComponentChildren }) => (
  <h1 class="ink" style={css('margin: 0 0 12px;', type(20, 28), 'font-weight: 700;', INK, BREAKS)}>
    {children}
  </h1>
)

/**
 * Shows a large amount with its label. Longer amounts have a smaller font size, so that they fit on
 * one line.
 */
export const Amount = ({ label, amount }: { label: string; amount: string }) => (
  <h1 class="ink" style={css('margin: 0;', FONT, 'font-weight: 400;', INK)}>
    <span class="soft" style={css('display: block; font-size: 15px; line-height: 22px;', SOFT)}>
      {label}
    </span>
    <span
      style={css(
        'display: block;',
        type(amount.length > 13 ? 24 : 34, 42),
        'font-weight: 700; letter-spacing: -0.5px;',
      )}
      {...asIs}
    >
      {amount}
    </span>
  </h1>
)

export const StatusText = ({ text, isBad }: { text: string; isBad?: boolean }) => (
  <p
    class={isBad ? 'bad' : 'soft'}
    style={css(
      'margin: 4px 0 0;',
      type(15, 22),
      isBad ? 'color: #9c2a1b; font-weight: 600;' : SOFT,
    )}
  >
    {text}
  </p>
)

interface Colored {
  /** The merchant's colour: `#0b7a4b`. */
  color?: string | undefined
}

/** Dark enough for white text. */
const accentOf = (color: string | undefined): string => accentInks(color)?.light.accent ?? '#0b5f45'

/**
 * Outlook applies the padding to the cell, other clients to the link. Either way, the button is
 * large enough to tap.
 */
export const Button = ({ href, text, color }: { href: string; text: string } & Colored) => (
  <Layout style="margin: 20px 0 16px;">
    <tr>
      <td
        class="button"
        align="center"
        style={css(
          `background-color: ${accentOf(color)};`,
          'border-radius: 12px; mso-padding-alt: 14px 20px;',
        )}
      >
        <a
          class="button"
          href={href}
          target="_blank"
          rel="noopener"
          style={css(
            'display: block; padding: 14px 20px;',
            type(17, 22),
            'font-weight: 600; color: #ffffff; text-decoration: none; border-radius: 12px;',
          )}
        >
          {text}
        </a>
      </td>
    </tr>
  </Layout>
)

/** Shows the full URL, in case the button is missing or the recipient doesn't trust it. */
export const PlainLink = ({ lead, href, color }: { lead: string; href: string } & Colored) => (
  <p class="soft" style={css('margin: 0;', type(13, 20), SOFT)}>
    {lead}
    <br />
    <a
      class="link"
      href={href}
      target="_blank"
      rel="noopener"
      style={css(
        `color: ${accentOf(color)};`,
        'text-decoration: underline; word-break: break-all;',
      )}
      {...asIs}
    >
      {href}
    </a>
  </p>
)

export const Section = ({ children }: { children: ComponentChildren }) => (
  <Layout>
    <tr>
      <td style="padding: 24px 16px 0;">{children}</td>
    </tr>
  </Layout>
)

export const Subheading = ({ children }: { children: ComponentChildren }) => (
  <h2 class="ink" style={css('margin: 0 0 8px;', type(16, 24), 'font-weight: 700;', INK)}>
    {children}
  </h2>
)

export interface Row {
  name: string
  /** Appears in small print below the name. */
  under?: string
  value: string
  strong?: boolean
}

/** Shows names and values, one pair per line. */
export const Rows = ({ rows }: { rows: readonly Row[] }) => (
  <Layout>
    {rows.map(({ name, under, value, strong }, i) => {
      const weight = strong ? 'font-weight: 700;' : ''
      const line = i > 0 ? 'border-top: 1px solid #e2dbcc;' : ''
      const cell = css('padding: 10px 0;', line, type(15, 22), weight)
      return (
        <tr key={i}>
          <td class="row ink" align="left" valign="top" style={css(cell, INK, BREAKS)}>
            {name}
            {under && (
              <span
                class="soft"
                style={css('display: block; font-size: 13px; line-height: 18px;', SOFT)}
              >
                {under}
              </span>
            )}
          </td>
          <td
            class="row ink"
            align="right"
            valign="top"
            style={css(cell, INK, 'padding-left: 16px;', BREAKS)}
            {...asIs}
          >
            {value}
          </td>
        </tr>
      )
    })}
  </Layout>
)

const THREADS = ['#0b5f45', '#d39a2d', '#2e3f7f', '#d39a2d', '#a8442a', '#d39a2d', '#0b5f45']
const [GREEN] = THREADS

const threadsOf = (color: string | undefined): string[] => {
  const accent = accentInks(color)?.light.accent
  return THREADS.map((thread) => (accent && thread === GREEN ? accent : thread))
}

const WIDTHS = ['40%', '3%', '12%', '3%', '15%', '3%', '24%']

/** Draws a simplified form of the woven edge on our pages, in the merchant's colour. */
export const WovenEdge = ({ color }: { color?: string | undefined }) => (
  <Layout>
    <tr>
      {threadsOf(color).map((colour, i) => (
        <td
          key={WIDTHS[i]}
          width={WIDTHS[i]}
          height="6"
          style={`background-color: ${colour}; font-size: 0; line-height: 6px;`}
        >
          {'\u00a0'}
        </td>
      ))}
    </tr>
  </Layout>
)

/** Returns the contact details, line by line. */
export function footerLines({ name, email, phone }: Sender): string[] {
  const ask = email ? texts.replyTo(name) : texts.ask(name)
  return [ask, ...(phone ? [texts.phone(phone)] : []), texts.poweredBy]
}

/**
 * Styles for dark screens. Apple Mail and others support the media query, whereas Outlook's apps
 * mark the body.
 */
const DARK = {
  page: 'background-color: #13120f',
  card: 'background-color: #1d1b17; border-color: #38342b',
  ink: 'color: #f4f0e7',
  soft: 'color: #b8b1a1',
  bad: 'color: #f3a698',
  link: 'color: #5fcfa4',
  row: 'border-color: #38342b',
  button: 'background-color: #5fcfa4; color: #062a1d',
  test: 'background-color: #272146; color: #bdb5ff',
}

const darkRules = (prefix: string) =>
  Object.entries(DARK)
    .map(([name, rule]) => `${prefix}.${name}{${rule.replace(/(;|$)/g, ' !important$1')}}`)
    .join('')

/** Returns the style rules for the merchant's colour on a dark screen. */
function accentRules(color: string | undefined): string {
  const inks = accentInks(color)?.dark
  if (!inks) return ''
  const rules = (prefix: string) =>
    `${prefix}.link{color:${inks.accent} !important}` +
    `${prefix}.button{background-color:${inks.accent} !important;color:${inks.onAccent} !important}`
  return `@media (prefers-color-scheme: dark){${rules('')}}${rules('[data-ogsc] ')}`
}

const STYLE = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  'body{margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}',
  'table{mso-table-lspace:0;mso-table-rspace:0}',
  // Some apps turn numbers and dates into links with their own colour.
  'a[x-apple-data-detectors]{color:inherit !important;text-decoration:none !important}',
  `@media (prefers-color-scheme: dark){${darkRules('')}}`,
  darkRules('[data-ogsc] '),
].join('')

interface ShellProps {
  title: string
  /** The text that mailbox lists show after the subject. */
  preview: string
  /** The merchant's colour: `#0b7a4b`. */
  color?: string | undefined
  /** Defaults to English. */
  language?: string | undefined
  body: ComponentChild
}

/**
 * Renders a whole email as HTML. Adds what components can't express: the doctype, and the
 * conditional comments that give Outlook on Windows, which doesn't support max-width, a table 600
 * pixels wide.
 */
export function renderShell({
  title,
  preview,
  color,
  language = texts.language,
  body,
}: ShellProps): string {
  const render = (node: ComponentChild) => renderToString(node as VNode)
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    '<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">',
    render(h('title', null, title)),
    `<style>${STYLE}${accentRules(color)}</style></head>`,
    '<body class="page" style="margin: 0; padding: 0; background-color: #f6f3ec;">',
    render(h('div', { style: HIDDEN, 'aria-hidden': true }, preview + FILLER)),
    '<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0"',
    ' border="0" style="background-color: #f6f3ec;">',
    '<tbody><tr><td align="center" style="padding: 0 8px 32px;">',
    '<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td>',
    '<![endif]--><div style="max-width: 600px; margin: 0 auto; text-align: left;">',
    render(body),
    '</div><!--[if mso]></td></tr></table><![endif]-->',
    '</td></tr></tbody></table></body></html>',
  ].join('')
}

const HIDDEN =
  'display: none; max-height: 0; overflow: hidden; mso-hide: all; font-size: 1px; opacity: 0;'

/** Keeps the first words of the email out of the preview. */
const FILLER = ' \u200c\u00a0'.repeat(60)
