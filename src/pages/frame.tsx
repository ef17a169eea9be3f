import { dialUrl, mailUrl, safeUrl, siteOf } from './safe-url.ts'
import type { Texts } from './texts.ts'
import type { MerchantView } from './views.ts'

interface LetterheadProps {
  merchant: MerchantView
  about?: string | undefined
  /** The label of the skip link, which is the first link on the page. */
  skip: string
}

/** Shows the merchant and the page's subject, with a skip link for keyboard users. */
export const Letterhead = ({ merchant, about, skip }: LetterheadProps) => (
  <header class="letterhead">
    {merchant.logo ? (
      // There is no alternative text, because the name is next to the logo. The size is known, so
      // the layout doesn't shift when the logo loads.
      <img class="logo" src={merchant.logo.path} alt="" {...fitSize(merchant.logo, LOGO)} />
    ) : (
      <span class="initial" aria-hidden="true">
        {initialOf(merchant.name)}
      </span>
    )}
    <p>
      <strong>{merchant.name}</strong>
      {about && <span class="soft">{about}</span>}
    </p>
    <a class="skip" href="#pay">
      {skip}
    </a>
  </header>
)

/** The height matches the initial that is shown if there is no logo. */
const LOGO = { width: 132, height: 44 }

const initialOf = (name: string) => name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '•'

interface ContactProps {
  t: Texts
  merchant: MerchantView
}

export const Footer = (props: ContactProps) => (
  <footer class="fine">
    {contactsOf(props.merchant).length > 0 && <Contacts {...props} />}
    <p class="by">{props.t.poweredBy}</p>
  </footer>
)

export const Contacts = ({ t, merchant }: ContactProps) => (
  <p class="ask">
    <span>{t.questions(merchant.name)}</span>
    {contactsOf(merchant).map(({ text, address }) => (
      <a key={address} href={address} rel="noopener noreferrer">
        {text}
      </a>
    ))}
  </p>
)

export function contactsOf({ email, phone, website }: MerchantView) {
  const links = [
    { text: email, address: mailUrl(email) },
    { text: phone, address: dialUrl(phone) },
    { text: website && siteOf(website), address: safeUrl(website) },
  ]
  return links.flatMap(({ text, address }) => (address ? [{ text, address }] : []))
}

interface Size {
  width: number
  height: number
}

/** Scales an image to fit a box, up or down, in whole pixels. */
export function fitSize({ width, height }: Size, box: Size): Size {
  const scale = Math.min(box.width / width, box.height / height)
  const whole = (edge: number) => Math.max(1, Math.round(edge * scale))
  return { width: whole(width), height: whole(height) }
}
