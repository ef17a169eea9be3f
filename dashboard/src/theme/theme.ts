import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

/** Ten steps of the one colour that asks for a press; 7 is --accent of the payer's pages. */
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

const wash = (name: string) => ({ background: `var(--${name}-wash)`, color: `var(--${name})` })

/** What notices stand on, and their ink. */
const WASHES: Record<string, { background: string; color: string }> = {
  green: wash('good'),
  yellow: wash('waiting'),
  red: wash('bad'),
  blue: { background: 'var(--sunken)', color: 'var(--ink)' },
}

/** Mantine picks the ink on a filled ground for the light scheme alone; the tokens know both. */
const inks: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  if (input.variant === 'light') return { ...colors, ...WASHES[input.color ?? ''] }
  if (input.variant !== 'filled') return colors
  if (input.color === 'red') {
    const [background, hover] = ['var(--bad)', 'color-mix(in srgb, var(--bad) 85%, var(--ink))']
    return { ...colors, background, hover, color: 'var(--on-accent)' }
  }
  return !input.color || input.color === 'green' ? { ...colors, color: 'var(--on-accent)' } : colors
}

/** The visual system of src/pages/styles/tokens.css, told to Mantine. */
export const theme = createTheme({
  primaryColor: 'green',
  primaryShade: { light: 7, dark: 3 },
  colors: { green },
  autoContrast: true,
  luminanceThreshold: 0.45,
  variantColorResolver: inks,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", monospace',
  defaultRadius: 'md',
  radius: { sm: 'var(--r-small)', md: '10px', lg: 'var(--r-medium)', xl: 'var(--r-large)' },
  headings: {
    fontFamily: 'var(--font)',
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.25' }, h2: { fontSize: '1.125rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Button: { defaultProps: { fw: 600 } },
    Accordion: { styles: { item: { backgroundColor: 'var(--surface)' } } },
    // Its own grey is too light to be read.
    Notification: { styles: { description: { color: 'var(--ink-soft)' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Modal: {
      defaultProps: { centered: true, radius: 'lg' },
      styles: { title: { fontSize: '1.125rem', fontWeight: 650 } },
    },
    Table: {
      defaultProps: {
        verticalSpacing: 'sm',
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
}

/** Mantine's own names for grounds and inks are the tokens, in both schemes. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: grounds,
  dark: grounds,
})
