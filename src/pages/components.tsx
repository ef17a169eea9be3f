import type { ComponentChildren } from 'preact'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'

/**
 * For what a browser must not translate: names, numbers, codes. Preact types the attribute as a
 * boolean but would leave `false` out.
 */
export const asIs = { translate: 'no' as unknown as boolean }

export type Tone = 'plain' | 'waiting' | 'good' | 'bad' | 'test'

/** A state in one word, with an icon so that its colour is never alone in telling it. */
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

/** Something that happened and what to do about it. */
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
  /** `sum` is what the others come to; a `reference` is long, and one word. */
  pairs: readonly (readonly [
    name: string,
    value: string | undefined,
    role?: 'sum' | 'reference' | undefined,
  ])[]
}

/** Names and values, one pair a line. A pair without a value is left out. */
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
  /** What is copied. */
  value: string
  /** What is shown, when it reads better in another form. */
  children?: ComponentChildren
}

/** A value to carry elsewhere: one tap selects all of it, and the button copies it. */
export const CopyField = ({ t, id, name, value, children }: CopyFieldProps) => (
  <div class="copy">
    <dt>{name}</dt>
    <dd>
      <span class={value.length > 15 ? 'value long' : 'value'} {...asIs}>
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
  /** Hidden fields. */
  fields?: Record<string, string>
  class?: string
  children: ComponentChildren
}

/** A plain form: every act of the payer works without a script. */
export const PostForm = ({ action, fields = {}, children, ...rest }: PostFormProps) => (
  <form method="post" action={action} {...rest}>
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    {children}
  </form>
)
