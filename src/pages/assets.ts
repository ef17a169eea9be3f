import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fromRoot } from '../root.ts'

/** A file that pages load. Browsers can cache it for ever, because its name contains its hash. */
interface Asset {
  type: string
  bytes: Buffer
}

/** Assets by file name, served as `/assets/{name}`. */
export const assets = new Map<string, Asset>()

/**
 * Files that payers never load: the styles of previews, and the image for link previews in chats.
 */
export const otherAssets = new Map<string, Asset>()

// Later files override earlier ones.
const STYLES = ['tokens', 'base', 'frame', 'pieces', 'paying', 'receipt', 'shop', 'adapt', 'goods']

/** Comments on their own lines. */
const COMMENTS = /^\s*(\/\/.*|\/\*[\s\S]*?\*\/)\s*$/gm

export const assetUrls = {
  style: add(
    'pages',
    'css',
    'text/css; charset=utf-8',
    readText(STYLES.map((name) => `styles/${name}.css`)),
  ),
  mailboxStyle: add('mailbox', 'css', 'text/css; charset=utf-8', readText(['styles/mailbox.css'])),
  script: add('pages', 'js', 'text/javascript; charset=utf-8', readText(['pages.browser.js'])),
  icon: add('icon', 'svg', 'image/svg+xml', readFile('icon.svg')),
  /**
   * The image that chat apps show beside a link that has no other image. Chat apps don't support
   * SVG.
   */
  share: keep(otherAssets, 'share.png', 'image/png', readFile('share.png')),
}

const DARK = '(prefers-color-scheme: dark)'

/** Style sheets for previews, each in one scheme regardless of the screen's setting. */
export const previewStyles = {
  light: addStyle('light', (css) => css.replaceAll(DARK, 'not all')),
  dark: addStyle('dark', (css) => css.replaceAll(DARK, 'all')),
}

function addStyle(scheme: 'light' | 'dark', only: (css: string) => string): string {
  const { type, bytes } = assets.get(assetUrls.style.slice('/assets/'.length))!
  const css = only(bytes.toString()).replace('color-scheme: light dark', `color-scheme: ${scheme}`)
  return keep(otherAssets, `pages-${scheme}.css`, type, Buffer.from(css))
}

function add(name: string, ending: string, type: string, bytes: Buffer): string {
  return keep(assets, `${name}.${ending}`, type, bytes)
}

function readFile(file: string): Buffer {
  return readFileSync(fromRoot(`src/pages/${file}`))
}

/**
 * Removes indentation and comments, which make up a seventh of a payer page's weight.
 */
function readText(files: string[]): Buffer {
  const text = files.map((file) => readFile(file).toString()).join('')
  return Buffer.from(text.replace(COMMENTS, '').replace(/^\s+/gm, ''))
}

function keep(where: typeof assets, name: string, type: string, bytes: Buffer): string {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  const fileName = name.replace('.', `.${hash}.`)
  where.set(fileName, { type, bytes })
  return `/assets/${fileName}`
}
