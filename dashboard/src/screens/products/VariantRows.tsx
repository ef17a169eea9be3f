import { NumberInput, Switch, Text, TextInput } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import type { Draft, Faults } from './drafts.ts'
import '../../theme/sell.css'
import { t } from '../../texts/products.ts'

export interface VariantRow {
  key: string
  name: string
  draft: Draft
  faults?: Faults | undefined
  isChanged?: boolean
  /** Its picture, or where one is added. */
  picture?: ReactNode
  /** Put aside by buyers, and so not to be taken off the shelf. */
  reserved?: number
}

/** A sheet of variants to type into: Enter and the arrows lead down and up its columns. */
export function VariantRows({
  rows,
  currency,
  price,
  change,
}: {
  rows: readonly VariantRow[]
  currency: string
  /** Of the product: what a variant costs that has no price of its own. */
  price: number | undefined
  change(key: string, to: Partial<Draft>): void
}) {
  // Stock is counted of all variants or of none.
  const isCounted = rows.some(({ draft }) => draft.quantity !== '')
  const hasPictures = rows.some(({ picture }) => picture !== undefined)
  const basic = price === undefined ? undefined : money(price, currency).replace(/^\D+/, '')
  return (
    <div className="variants-room">
      <table className="variants" aria-label={t.variants} onKeyDownCapture={moveBetween}>
        <thead>
          <tr>
            {hasPictures && <th aria-label={t.picture} />}
            <th>{t.variant}</th>
            <th>{t.price}</th>
            <th>{t.quantity}</th>
            <th>{t.sku}</th>
            <th>{t.onSale}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, draft, faults = {}, isChanged, picture, reserved = 0 }) => (
            <tr
              key={key}
              className={[isChanged && 'changed', !hasPictures && 'no-picture']
                .filter(Boolean)
                .join(' ')}
            >
              {hasPictures && <td className="picture-cell">{picture}</td>}
              <td className="name">
                {name}
                {faults.other && (
                  <Text size="xs" c="var(--bad)" role="alert">
                    {faults.other}
                  </Text>
                )}
              </td>
              <td className="amount-cell" data-label={t.price}>
                <MoneyInput
                  aria-label={t.priceOf(name)}
                  currency={currency}
                  placeholder={basic}
                  value={draft.price}
                  error={faults.price}
                  data-column="price"
                  onChange={(value) => change(key, { price: value })}
                />
              </td>
              <td className="count-cell" data-label={t.quantity}>
                <NumberInput
                  aria-label={t.quantityOf(name)}
                  placeholder={isCounted ? '0' : t.notCounted}
                  min={0}
                  max={1_000_000_000}
                  allowDecimal={false}
                  thousandSeparator=","
                  hideControls
                  value={draft.quantity}
                  error={faults.quantity}
                  data-column="quantity"
                  onChange={(value) => change(key, { quantity: value })}
                />
                {reserved > 0 && (
                  <Text size="xs" c="dimmed">
                    {t.ofThemPutAside(reserved)}
                  </Text>
                )}
              </td>
              <td className="sku-cell" data-label={t.sku}>
                <TextInput
                  aria-label={t.skuOf(name)}
                  placeholder={t.sku}
                  maxLength={64}
                  value={draft.sku}
                  error={faults.sku}
                  data-column="sku"
                  onChange={(event) => change(key, { sku: event.currentTarget.value })}
                />
              </td>
              <td className="sold-cell" data-label={t.onSale}>
                <Switch
                  aria-label={t.canBeBought(name)}
                  mt={8}
                  checked={draft.active}
                  onChange={(event) => change(key, { active: event.currentTarget.checked })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** As in a spreadsheet; in the last row Enter does what it does in every form. */
function moveBetween(event: KeyboardEvent<HTMLTableElement>): void {
  const by = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
  const field = event.target as HTMLElement
  const { column } = field.dataset
  if (!by || !column || event.altKey || event.ctrlKey || event.metaKey) return
  const all = [...event.currentTarget.querySelectorAll<HTMLInputElement>('[data-column]')].filter(
    (one) => one.dataset.column === column,
  )
  const next = all[all.indexOf(field as HTMLInputElement) + by]
  if (!next) {
    if (event.key !== 'Enter') event.preventDefault()
    return
  }
  event.preventDefault()
  event.stopPropagation()
  next.focus()
  next.select()
}
