import { type ComponentChild, h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { accentInks } from '../../pages/accent.ts'
import { texts } from './texts.ts'

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
