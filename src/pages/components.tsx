import type { ComponentChildren } from 'preact'
import { encode } from 'uqr'
import type { Format } from './format.ts'
import type { Texts } from './texts.ts'
import type { LineItemView } from './views.ts'

/**
 * Marks text that browsers must not translate, such as names, numbers and codes. Preact types the
 * attribute as a boolean but would leave out `false`.
 */
export const noTranslate = { translate: 'no' as unknown as boolean }

type Tone = 'plain' | 'waiting' | 'good' | 'bad' | 'test'

/** Shows a one-word state, always with an icon, so that the state isn't shown by colour alone. */
export const Chip = ({ tone, icon, text }: { tone: Tone; icon: IconName; text: string }) => (
  <span class={`chip ${tone}`}>
    <Icon name={icon} />
    {text}
  </span>
)

interface NoticeProps {
  tone: Tone
  icon: IconName
  heading: string
  children?: ComponentChildren
}

export const Notice = ({ tone, icon, heading, children }: NoticeProps) => (
  <div class={`notice ${tone}`}>
    <Icon name={icon} />
    <div>
      <h2>{heading}</h2>
      {children}
    </div>
  </div>
)

interface RowsProps {
  /** `sum` is a total. A `reference` is a single long word. */
  pairs: readonly (readonly [
    name: string,
    value: string | undefined,
    role?: 'sum' | 'reference' | undefined,
  ])[]
}

/** Shows names and values, one pair per line. Leaves out pairs without a value. */
export const Rows = ({ pairs }: RowsProps) => (
  <dl class="rows">
    {pairs.map(
      ([name, value, role]) =>
        value && (
          <div key={name} class={role}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

interface CopyFieldProps {
  t: Texts
  id: string
  name: string
  /** The text to copy. */
  value: string
  /** What to display instead of `value`, if another form is easier to read. */
  children?: ComponentChildren
}

/** Shows a value to copy: one tap selects all of it, and the button copies it. */
export const CopyField = ({ t, id, name, value, children }: CopyFieldProps) => (
  <div class="copy">
    <dt>{name}</dt>
    <dd>
      <span class={value.length > 15 ? 'value long' : 'value'} {...noTranslate}>
        {children ?? value}
      </span>
      <button
        type="button"
        id={id}
        class="button quiet small scripted"
        data-copy={value}
        data-copied={t.copied}
        data-announce={t.copiedOf(name)}
        aria-label={t.copyOf(name)}
      >
        {t.copy}
      </button>
    </dd>
  </div>
)

interface PostFormProps {
  action: string
  fields?: Record<string, string>
  class?: string
  children: ComponentChildren
}

/** Renders a plain form, because everything that a payer can do must work without JavaScript. */
export const PostForm = ({ action, fields = {}, children, ...rest }: PostFormProps) => (
  <form method="post" action={action} {...rest}>
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    {children}
  </form>
)

/**
 * Line icons on a 24 × 24 grid, in the colour of the text. They always appear next to words, never
 * on their own.
 */
const PATHS = {
  bank: 'M3 10 12 4l9 6M5 10v8m4.7-8v8m4.6-8v8M19 10v8M3 20.5h18',
  card: 'M4.5 5.5h15a1.5 1.5 0 0 1 1.5 1.5v10a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17V7a1.5 1.5 0 0 1 1.5-1.5ZM3 10h18M6.5 14.5h4',
  phone:
    'M8 2.5h8a1.5 1.5 0 0 1 1.5 1.5v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5ZM11 18h2',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  bin: 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7M10.5 11v5m3-5v5',
  globe:
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM3.5 12h17M12 3.5c3 2.6 3 14.4 0 17-3-2.6-3-14.4 0-17Z',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7.5V12l3 2',
  alert: 'M12 4 2.8 20h18.4L12 4Zm0 6v4.5m0 2.6v.1',
  lost: 'M9.2 9.2a2.9 2.9 0 1 1 4.3 2.6c-.9.5-1.5 1.1-1.5 2.2m0 3v.1',
  // Represents ended states, because a cross in a chip would look like a button that removes the
  // chip.
  stopped: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM6.5 17.5l11-11',
  half: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Zm0 0v17M15 5v14m3-11v8',
  dot: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z',
  down: 'M12 4v11m-5-4.5 5 5 5-5M5 20h14',
  parcel: 'M12 3 4 7v10l8 4 8-4V7l-8-4Zm-8 4 8 4 8-4M12 11v10',
  print: 'M7 8V3.5h10V8M7 17H4.5V8h15v9H17M7 14h10v6.5H7z',
  flask: 'M9.5 3.5h5m-4 0v6L5 19a1 1 0 0 0 .9 1.5h12.2A1 1 0 0 0 19 19l-5.5-9.5v-6M8 15h8',
}

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)

/**
 * Renders a QR code as inline SVG: one path made of horizontal runs. The quiet zone is four modules
 * wide, as the standard requires. The code is always dark on white, because scanners fail on
 * inverted codes.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(runsOf).join('')} fill="#000" />
    </svg>
  )
}

/** Returns `M2 5h3v1h-3z` for each run of dark modules in a row. */
function runsOf(row: boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x++
    const length = x - start + 1
    path += `M${start} ${y}h${length}v1h-${length}z`
  }
  return path
}

interface ItemsProps {
  items: readonly LineItemView[]
  t: Texts
  format: Format
}

export const Items = ({ items, t, format }: ItemsProps) => (
  <table class="items">
    <thead class="unseen">
      <tr>
        <th scope="col">{t.items.name}</th>
        <th scope="col">{t.items.amount}</th>
      </tr>
    </thead>
    <tbody>
      {keyed(items).map(({ key, item }) => (
        <tr key={key}>
          <th scope="row">
            {item.image && <img src={item.image} alt="" width="48" height="48" loading="lazy" />}
            <span>
              {item.name}
              {item.quantity !== 1 && (
                <small>
                  {t.timesEach(format.count(item.quantity), format.amount(item.unitAmountMinor))}
                </small>
              )}
            </span>
          </th>
          <td class="money">{format.amount(item.amountMinor)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Lines can be identical but never change order, so the index is a safe key. */
const keyed = (items: readonly LineItemView[]) => items.map((item, key) => ({ key, item }))
