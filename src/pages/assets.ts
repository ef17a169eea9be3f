import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** One file that pages load. Its name holds its hash: it may be cached for ever. */
export interface Asset {
  /** For `content-type`. */
  type: string
  bytes: Buffer
  /** The same for a client that accepts it. */
  gzip: Buffer
}

/** By file name, to be served as `/assets/{name}`. */
export const assets = new Map<string, Asset>()

/** What no payer loads: styles of pages that are only looked at, and the picture for chats. */
export const otherAssets = new Map<string, Asset>()

// Later files override earlier ones.
const STYLES = ['tokens', 'base', 'frame', 'pieces', 'paying', 'receipt', 'shop', 'adapt', 'goods']

/** Addresses of the assets, as pages name them. */
export const assetUrls = {
  style: add(
    'pages',
    'css',
    'text/css; charset=utf-8',
    STYLES.map((name) => `styles/${name}.css`),
  ),
  mailboxStyle: add('mailbox', 'css', 'text/css; charset=utf-8', ['styles/mailbox.css']),
  script: add('pages', 'js', 'text/javascript; charset=utf-8', ['pages.browser.js']),
  icon: add('icon', 'svg', 'image/svg+xml', ['icon.svg']),
  /** What chats show beside a link where there is no other picture: none of them reads SVG. */
  share: keep(otherAssets, 'share.png', 'image/png', read(['share.png'])),
}

const DARK = '(prefers-color-scheme: dark)'

/** The style of pages that are looked at in one scheme, whatever the screen is set to. */
export const previewStyles = {
  light: addStyle('light', (css) => css.replaceAll(DARK, 'not all')),
  dark: addStyle('dark', (css) => css.replaceAll(DARK, 'all')),
}

function addStyle(scheme: 'light' | 'dark', only: (css: string) => string): string {
  const { type, bytes } = assets.get(assetUrls.style.slice('/assets/'.length))!
  const css = only(bytes.toString()).replace('color-scheme: light dark', `color-scheme: ${scheme}`)
  return keep(otherAssets, `pages-${scheme}.css`, type, Buffer.from(css))
}

function add(name: string, ending: string, type: string, files: string[]): string {
  return keep(assets, `${name}.${ending}`, type, read(files))
}

function read(files: string[]): Buffer {
  return Buffer.concat(files.map((file) => readFileSync(new URL(file, import.meta.url))))
}

function keep(where: typeof assets, name: string, type: string, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  const fileName = name.replace('.', `.${hash}.`)
  where.set(fileName, { type, bytes, gzip: gzipSync(bytes, { level: 9 }) })
  return `/assets/${fileName}`
}
