/**
 * Renders page accents in the merchant's colour. Merchants can choose any colour, but accents must
 * stay readable, so the colour is darkened on light backgrounds and lightened on dark ones until
 * the contrast is sufficient. Each colour has its own style sheet, because the content security
 * policy doesn't allow inline styles.
 */

type Rgb = readonly [number, number, number]

const COLOR = /^#?([0-9a-f]{6})$/i

/** WCAG requires 4.5. The extra 0.1 allows for rounding to whole values. */
const CONTRAST = 4.6
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]

/**
 * The backgrounds behind links and icons. For each scheme, these are the ones closest to its text
 * colours.
 */
const GROUNDS = { light: [[244, 240, 230]] as Rgb[], dark: [[38, 35, 29]] as Rgb[] }
const SURFACE = { light: [255, 254, 251] as Rgb, dark: [29, 27, 23] as Rgb }

export type Scheme = 'light' | 'dark'

/**
 * Returns the URL of the style sheet for a colour. If a scheme is given, the style sheet covers
 * only that scheme.
 */
export function accentUrl(color: string | undefined, scheme?: Scheme): string | undefined {
  const hex = color && COLOR.exec(color)?.[1]
  return hex ? `/accent/${hex.toLowerCase()}${scheme ? `-${scheme}` : ''}.css` : undefined
}

/**
 * Returns the style sheet for a name such as `0b7a4b.css`; undefined if the name doesn't represent
 * a colour.
 */
export function accentStyle(name: string): string | undefined {
  const [, hex, only] = /^([0-9a-f]{6})(?:-(light|dark))?\.css$/.exec(name) ?? []
  if (!hex) return undefined
  const rgb = rgbOf(hex)
  if (only) return `:root{${rule(rgb, only as Scheme)}}`
  const light = rule(rgb, 'light')
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${rule(rgb, 'dark')}}}`
}

/** A colour for pages and emails, and the colour of text on top of it. */
export interface Inks {
  accent: string
  onAccent: string
}

/** Adapts a colour to each scheme. Returns undefined if the value isn't a colour. */
export function accentInks(color: string | undefined): Record<Scheme, Inks> | undefined {
  const hex = color && COLOR.exec(color)?.[1]
  if (!hex) return undefined
  const inks = (scheme: Scheme) => {
    const { accent } = accentOf(rgbOf(hex), scheme)
    return { accent: print(accent), onAccent: print(inkOn(accent)) }
  }
  return { light: inks('light'), dark: inks('dark') }
}

/** Returns the colour used in PDFs: the same as on light pages, dark enough for white text. */
export function pdfAccentColor(color: string | undefined): string | undefined {
  const hex = color && COLOR.exec(color)?.[1]
  return hex ? print(accentOf(rgbOf(hex), 'light').accent) : undefined
}

const rgbOf = (hex: string) =>
  [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb

function accentOf(color: Rgb, scheme: Scheme) {
  const ink = scheme === 'light' ? BLACK : WHITE
  const wash = mix(SURFACE[scheme], color, scheme === 'light' ? 0.1 : 0.18)
  const grounds = [...GROUNDS[scheme], wash]
  let share = 0
  let accent = color
  while (grounds.some((ground) => contrast(accent, ground) < CONTRAST) && share < 1) {
    share += 0.02
    accent = mix(color, ink, share)
  }
  return { accent, wash, ink }
}

const inkOn = (accent: Rgb): Rgb => (contrast(accent, WHITE) >= CONTRAST ? WHITE : BLACK)

function rule(color: Rgb, scheme: Scheme): string {
  const { accent, wash, ink } = accentOf(color, scheme)
  const values = {
    accent,
    'accent-press': mix(accent, ink, 0.2),
    'on-accent': inkOn(accent),
    'accent-wash': wash,
    'thread-1': accent,
  }
  return Object.entries(values)
    .map(([name, rgb]) => `--${name}:${print(rgb)}`)
    .join(';')
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => {
  const at = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * Math.min(1, share))
  return [at(0), at(1), at(2)]
}

const print = (rgb: Rgb): string =>
  `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** Returns the contrast ratio as defined by WCAG 2, from 1 to 21. */
function contrast(a: Rgb, b: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((value) => {
    const share = value / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
