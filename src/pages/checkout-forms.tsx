import { PostForm } from './components.tsx'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { CheckoutView } from './views-checkout.ts'

interface FormsProps {
  view: CheckoutView
  t: Texts
}

export const pathOf = ({ accessCode }: Pick<CheckoutView, 'accessCode'>) =>
  `/checkout/${encodeURIComponent(accessCode)}`

/** Cancelling asks once, without a script too. */
export const Leave = ({ view, t }: FormsProps) => (
  <details class="leave">
    <summary id="cancel">{t.shop.cancel}</summary>
    <PostForm action={`${pathOf(view)}/cancel`}>
      <p>{t.shop.sure}</p>
      <button type="submit" id="cancel-now" class="button quiet">
        {t.shop.yes}
      </button>
    </PostForm>
  </details>
)

/** Asked before the payment of goods that are delivered, or to correct what was said. */
export function AddressForm({ view, t }: FormsProps) {
  const { typed = '', isFault = false } = view.address ?? {}
  const { heading, text, label, save, missing } = t.shop.address
  return (
    <PostForm action={`${pathOf(view)}/address`} class="card order">
      <h2>{heading}</h2>
      <p class="soft">{text(view.merchant.name)}</p>
      <p class="field">
        <label for="address">{label}</label>
        <textarea
          id="address"
          name="address"
          rows={3}
          maxLength={1000}
          required
          autoComplete="street-address"
          aria-invalid={isFault}
          {...(isFault && { 'aria-describedby': 'address-says' })}
        >
          {typed}
        </textarea>
        {isFault && (
          <span id="address-says" class="fault">
            <Icon name="alert" />
            {missing}
          </span>
        )}
      </p>
      <button type="submit" id="save-address" class="button wide">
        {save}
      </button>
    </PostForm>
  )
}
