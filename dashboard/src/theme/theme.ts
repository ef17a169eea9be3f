import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

/** Ten shades of the main colour for actions. Shade 7 is --accent on payer pages. */
const green: MantineColorsTuple = [
  '#e4f0e9',
  '#cfe4d9',
  '#a6cfbb',
  '#78b89a',
  '#4f9f7c',
  '#2c8563',
  '#187152',
  '#0b5f45',
  '#084933',
  '#053425',
]

/** Sand tones instead of Mantine's bluish greys, from background to text. */
const gray: MantineColorsTuple = [
  '#faf8f2',
  '#f4f0e6',
  '#ebe5d8',
  '#e2dbcc',
  '#d3cab8',
  '#b3aa99',
  '#8a8272',
  '#5e584b',
  '#3a352b',
  '#1e1b15',
]

/** Sand tones for the dark scheme, from text to background. */
const dark: MantineColorsTuple = [
  '#f4f0e7',
  '#b8b1a1',
  '#a0988a',
  '#857d6d',
  '#38342b',
  '#312d25',
  '#26231d',
  '#1d1b17',
  '#181613',
  '#13120f',
]

const wash = (name: string) => ({ background: `var(--${name}-wash)`, color: `var(--${name})` })

const WASHES: Record<string, { background: string; color: string }> = {
  green: wash('good'),
  yellow: wash('waiting'),
  red: wash('bad'),
  blue: { background: 'var(--sunken)', color: 'var(--ink)' },
}

/**
 * Mantine chooses the text colour on filled backgrounds only for the light scheme. The tokens cover
 * both schemes.
 */
const inks: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  if (input.variant === 'light') return { ...colors, ...WASHES[input.color ?? ''] }
  if (input.variant !== 'filled') return colors
  if (input.color === 'red') {
    const background = 'var(--bad)'
    const hover = 'color-mix(in srgb, var(--bad) 85%, var(--ink))'
    return { ...colors, background, hover, color: 'var(--on-accent)' }
  }
  return !input.color || input.color === 'green' ? { ...colors, color: 'var(--on-accent)' } : colors
}

/** Applies the design tokens in src/pages/styles/tokens.css to Mantine. */
export const theme = createTheme({
  primaryColor: 'green',
  primaryShade: { light: 7, dark: 3 },
  colors: { green, gray, dark },
  autoContrast: true,
  luminanceThreshold: 0.45,
  variantColorResolver: inks,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", monospace',
  fontSizes: { md: '0.9375rem' },
  defaultRadius: 'md',
  radius: { sm: 'var(--r-small)', md: '10px', lg: 'var(--r-medium)', xl: 'var(--r-large)' },
  headings: {
    fontFamily: 'var(--font)',
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Checkboxes with rounder corners look like radio buttons.
    Checkbox: { defaultProps: { radius: 4 } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Button: { defaultProps: { fw: 600 } },
    Accordion: { styles: { item: { backgroundColor: 'var(--surface)' } } },
    // Mantine's grey is too pale to read.
    Notification: { styles: { description: { color: 'var(--ink-soft)' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Modal: {
      defaultProps: { centered: true, radius: 'lg' },
      styles: { title: { fontSize: '1.125rem', fontWeight: 650 } },
    },
    Badge: { defaultProps: { tt: 'none', fw: 600, radius: 'sm' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    // Moves focus to the first item instead of a placeholder, because menus must contain only
    // items.
    Menu: { defaultProps: { radius: 'md', shadow: 'md', withInitialFocusPlaceholder: false } },
    Progress: { defaultProps: { size: 'sm', radius: 'xl' } },
    Table: {
      defaultProps: {
        verticalSpacing: '0.625rem',
        highlightOnHover: true,
        highlightOnHoverColor: 'var(--sunken)',
      },
    },
  },
})

const grounds = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-soft)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-placeholder': 'var(--line-strong)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-red-6': 'var(--bad)',
  '--mantine-color-red-text': 'var(--bad)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-press)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-primary-color-light': 'var(--accent-wash)',
  '--mantine-primary-color-light-hover': 'var(--accent-wash)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-color-green-filled': 'var(--accent)',
  '--mantine-color-green-filled-hover': 'var(--accent-press)',
  '--mantine-color-green-light': 'var(--accent-wash)',
  '--mantine-color-green-light-hover': 'var(--accent-wash)',
  '--mantine-color-green-light-color': 'var(--accent)',
  '--mantine-color-green-text': 'var(--accent)',
  '--mantine-color-gray-light': 'var(--sunken)',
  '--mantine-color-gray-light-hover': 'var(--sunken)',
  '--mantine-color-gray-light-color': 'var(--ink)',
}

/** Sets Mantine's variables for backgrounds and text to the tokens, in both schemes. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: grounds,
  dark: grounds,
})
