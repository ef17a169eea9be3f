/**
 * The accent of a page in its merchant's colour. Any colour may be asked for, and must be readable:
 * it is darkened on light grounds and lightened on dark ones until it is. The policy allows no
 * style in a page, therefore it is a style sheet of its own, by the colour's name.
 */

type Rgb = readonly [number, number, number]

const COLOR = /^#?([0-9a-f]{6})$/i

/** WCAG asks for 4.5; rounding to whole values takes a little away. */
const CONTRAST = 4.6
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]

/** The grounds that links and icons stand on: of each scheme those nearest to its inks. */
const GROUNDS = { light: [[244, 240, 230]] as Rgb[], dark: [[38, 35, 29]] as Rgb[] }
const SURFACE = { light: [255, 254, 251] as Rgb, dark: [29, 27, 23] as Rgb }

export type Scheme = 'light' | 'dark'

/** Address of the style sheet of a colour, of one scheme alone where that is named. */
export function accentUrl(color: string | undefined, scheme?: Scheme): string | undefined {
  const hex = color && COLOR.exec(color)?.[1]
  return hex ? `/accent/${hex.toLowerCase()}${scheme ? `-${scheme}` : ''}.css` : undefined
}

/** The style sheet of `0b7a4b.css`; undefined for a name that is no colour's. */
export function accentStyle(name: string): string | undefined {
  const [, hex, only] = /^([0-9a-f]{6})(?:-(light|dark))?\.css$/.exec(name) ?? []
  if (!hex) return undefined
  const rgb = rgbOf(hex)
  if (only) return `:root{${rule(rgb, only as Scheme)}}`
  const light = rule(rgb, 'light')
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${rule(rgb, 'dark')}}}`
}

/** The colour as it is on pages and in mails, and the ink that it carries. */
export interface Inks {
  accent: string
  onAccent: string
}

/** What becomes of a colour in each scheme; undefined for what is none. */
export function accentInks(color: string | undefined): Record<Scheme, Inks> | undefined {
  const hex = color && COLOR.exec(color)?.[1]
  if (!hex) return undefined
  const inks = (scheme: Scheme) => {
    const { accent } = accentOf(rgbOf(hex), scheme)
    return { accent: print(accent), onAccent: print(inkOn(accent)) }
  }
  return { light: inks('light'), dark: inks('dark') }
}

/** The colour on paper: as it is on light pages, and dark enough for white letters. */
export function inkOf(color: string | undefined): string | undefined {
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

/** As WCAG 2 measures it: from 1 to 21. */
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
